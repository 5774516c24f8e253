import {
  type AgentFields,
  AgentStore,
  Agents,
  Memories,
  Profiles,
  TestRuns,
  ToolShelf,
  ToolStore,
  Tools,
} from '../conversation/agents/index.ts';
import { hostTimeZone } from '../conversation/brains/index.ts';
import type { AgentRooms, AgentTexts } from '../conversation/calls/index.ts';
import type { KnowledgeRoom } from '../conversation/knowledge/index.ts';
import type { Surface } from '../edge/server/index.ts';
import { createAgentsSurface } from '../edge/surfaces/agents/index.ts';
import type { Reach } from '../foundation/access/contract.ts';
import { UrlGate } from '../foundation/platform/url-gate/index.ts';
import type { Webhooks } from '../foundation/webhooks/index.ts';
import { answerModel, holdModel, onTheLine } from '../products/amd/index.ts';
import type { CallVoices } from '../speech/voices/index.ts';
import { brainNames } from './brains.ts';
import { callKnowledge } from './knowledge.ts';
import { addedNames } from './local-brains.ts';
import type { Rooms } from './main.ts';
import { PURPOSES } from './sealing.ts';

export interface AgentsParts {
  readonly surface: Surface;
  /** What calls need of them. */
  readonly rooms: AgentRooms;
  readonly memories: Memories;
  /** Whether the caller has such an agent, and calls get a version of it. */
  readonly has: (reach: Reach, agentId: string) => Promise<boolean>;
  /** False: there is no such agent. */
  readonly remove: (reach: Reach, agentId: string) => Promise<boolean>;
  /** Of one version; null: the agent is gone. */
  readonly fieldsOf: (reach: Reach, agentId: string, version: number) => Promise<AgentFields | null>;
}

/** Agents and their tools, which may also call the hosts that the operator lists. */
export async function agentsParts(
  { config, clock, sharedClock, storage, sealing }: Rooms,
  voices: CallVoices,
  webhooks: Webhooks,
  gate: UrlGate,
  knowledge: KnowledgeRoom,
  texts: () => AgentTexts | null,
): Promise<AgentsParts> {
  const { allowLoopbackUrls: allowLoopback, privateHosts } = config;
  const toolGate = new UrlGate({ allowLoopback, privateHosts: new Set(privateHosts), clock });
  const store = new AgentStore(storage, sharedClock);
  const sealer = sealing.sealer(PURPOSES.tools);
  const toolStore = new ToolStore(storage, sharedClock, sealer);
  const sign: ConstructorParameters<typeof ToolShelf>[0]['sign'] = (reach, body) =>
    webhooks.signed(reach, body);
  const shelf = new ToolShelf({ store: toolStore, gate: toolGate, sign, clock });
  const memories = new Memories(storage, sharedClock);
  const agents = new Agents(store, {
    voices,
    gate,
    brains: [...brainNames(config), ...addedNames(config)],
    unknownKnowledgeBase: async (reach, ids) => {
      const found = new Set((await knowledge.bases.among(reach, ids)).map(({ id }) => id));
      return ids.find((id) => !found.has(id));
    },
    tools: (reach, ids) => toolStore.among(reach, ids),
  });
  const models = { answers: answerModel(), holds: holdModel() };
  const timeZone = config.timeZone ?? hostTimeZone();
  return {
    surface: createAgentsSurface({
      agents,
      runs: new TestRuns(storage, sharedClock),
      tools: shelf,
      editing: new Tools(toolStore, toolGate),
      clock,
      timeZone,
    }),
    rooms: {
      profiles: new Profiles(store),
      tools: shelf,
      memories,
      knowledge: callKnowledge(knowledge),
      texts,
      hearLine: (text) => onTheLine(text, models),
    },
    memories,
    has: async (reach, agentId) => ((await store.find(reach, agentId))?.publishedVersion ?? null) !== null,
    remove: (reach, agentId) => store.delete(reach, agentId),
    fieldsOf: async (reach, agentId, version) => (await store.find(reach, agentId, version))?.fields ?? null,
  };
}
