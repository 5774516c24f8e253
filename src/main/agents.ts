import {
  type AgentFields,
  AgentMemories,
  AgentStore,
  Agents,
  CallToolProvider,
  Profiles,
  TestRuns,
  ToolStore,
  Tools,
} from '../conversation/agents/index.ts';
import { hostTimeZone } from '../conversation/brains/index.ts';
import type { AgentMessaging, AgentServices } from '../conversation/calls/index.ts';
import type { KnowledgeService } from '../conversation/knowledge/index.ts';
import type { Surface } from '../edge/server/index.ts';
import { createAgentsSurface } from '../edge/surfaces/agents/index.ts';
import type { TenantScope } from '../foundation/access/contract.ts';
import { UrlGate } from '../foundation/platform/url-gate/index.ts';
import type { Webhooks } from '../foundation/webhooks/index.ts';
import { answerModel, holdModel, lineOccupant } from '../speech/amd/index.ts';
import type { ProviderKeys } from '../speech/provider-keys/index.ts';
import type { CallVoices } from '../speech/voices/index.ts';
import { brainNames } from './brain-settings.ts';
import { callKnowledge } from './knowledge.ts';
import { addedNames } from './local-brains.ts';
import type { CoreServices } from './main.ts';
import { PURPOSES } from './sealing.ts';
import { voiceProviderEntries } from './voice-providers.ts';

export interface AgentsParts {
  readonly surface: Surface;
  readonly services: AgentServices;
  readonly memories: AgentMemories;
  readonly has: (scope: TenantScope, agentId: string) => Promise<boolean>;
  readonly remove: (scope: TenantScope, agentId: string) => Promise<boolean>;
  /** Reads the fields of one version; null means that the agent is gone. */
  readonly fieldsOf: (scope: TenantScope, agentId: string, version: number) => Promise<AgentFields | null>;
}

export async function agentsParts(
  { config, clock, sharedClock, storage, events, sealing }: CoreServices,
  voices: CallVoices,
  webhooks: Webhooks,
  gate: UrlGate,
  knowledge: KnowledgeService,
  texts: () => AgentMessaging | null,
  recognizers: () => readonly string[],
  providerKeys: Pick<ProviderKeys, 'names'>,
): Promise<AgentsParts> {
  const { allowLoopbackUrls: allowLoopback, privateHosts } = config;
  const toolGate = new UrlGate({ allowLoopback, privateHosts: new Set(privateHosts), clock });
  const store = new AgentStore(storage, sharedClock);
  const sealer = sealing.sealer(PURPOSES.tools);
  const toolStore = new ToolStore(storage, sharedClock, sealer);
  const sign: ConstructorParameters<typeof CallToolProvider>[0]['sign'] = (scope, body) =>
    webhooks.signed(scope, body);
  const toolProvider = new CallToolProvider({ store: toolStore, gate: toolGate, sign, clock });
  const memories = new AgentMemories(storage, sharedClock);
  const agents = new Agents(store, {
    voices,
    gate,
    brains: [...brainNames(config), ...addedNames(config)],
    voiceProviders: voiceProviderEntries(config).map(({ name }) => name),
    recognizers,
    ownProviders: (scope) => providerKeys.names(scope),
    unknownKnowledgeBase: async (scope, ids) => {
      const found = new Set((await knowledge.bases.among(scope, ids)).map(({ id }) => id));
      return ids.find((id) => !found.has(id));
    },
    tools: (scope, ids) => toolStore.among(scope, ids),
    agents: async (scope, ids) => {
      const found = await Promise.all(ids.map((id) => store.find(scope, id)));
      return found.flatMap((agent) => (agent?.publishedVersion ? [agent.id] : []));
    },
  });
  const models = { answers: answerModel(), holds: holdModel() };
  const timeZone = config.timeZone ?? hostTimeZone();
  return {
    surface: createAgentsSurface({
      agents,
      runs: new TestRuns(storage, sharedClock, events),
      tools: toolProvider,
      editing: new Tools(toolStore, toolGate),
      clock,
      timeZone,
    }),
    services: {
      profiles: new Profiles(store),
      tools: toolProvider,
      memories,
      knowledge: callKnowledge(knowledge),
      messaging: texts,
      classifyLine: (text) => lineOccupant(text, models),
    },
    memories,
    has: async (scope, agentId) => ((await store.find(scope, agentId))?.publishedVersion ?? null) !== null,
    remove: (scope, agentId) => store.delete(scope, agentId),
    fieldsOf: async (scope, agentId, version) => (await store.find(scope, agentId, version))?.fields ?? null,
  };
}
