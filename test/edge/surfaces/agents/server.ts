import {
  type AgentCheckDeps,
  AgentMemories,
  AgentStore,
  Agents,
  CallToolProvider,
  Profiles,
  TestRuns,
  ToolStore,
  Tools,
} from '../../../../src/conversation/agents/index.ts';
import { IdempotencyStore } from '../../../../src/edge/server/index.ts';
import { createAgentsSurface } from '../../../../src/edge/surfaces/agents/index.ts';
import { Sealer } from '../../../../src/foundation/access/index.ts';
import { DomainEvents } from '../../../../src/foundation/events/index.ts';
import { JobQueue } from '../../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { UrlGate } from '../../../../src/foundation/platform/url-gate/index.ts';
import { openStorage, type Storage } from '../../../../src/foundation/storage/index.ts';
import { callVoices, StockVoices, stockVoice } from '../../../../src/speech/voices/index.ts';
import { CheckedWebhooks } from '../../../foundation/webhooks/checked.ts';
import { afterEach } from '../../../helper-hooks.ts';
import { bearer, start } from '../../server/fixtures/start.ts';

export const json = { ...bearer, 'content-type': 'application/json' };
type Json = Record<string, unknown>;

const storages: Storage[] = [];
afterEach(async () => {
  for (const storage of storages.splice(0)) await storage.close();
});

const stock = new StockVoices();
export const VOICES = callVoices(stock, async (_scope, name) =>
  stockVoice(stock.resolve(name ?? stock.default.id)),
);

export function agentServices(storage: Storage, checks: Partial<AgentCheckDeps> = {}) {
  const clock = systemClock;
  const gate = new UrlGate({ allowLoopback: true, clock });
  const webhooks = new CheckedWebhooks({
    storage,
    queue: new JobQueue(storage, clock),
    gate,
    clock,
    background: new BackgroundTasks({ clock }),
  });
  const toolStore = new ToolStore(storage, clock, new Sealer(Buffer.alloc(32, 7), 'tests'));
  const toolProvider = new CallToolProvider({
    store: toolStore,
    gate,
    sign: (scope, body) => webhooks.signed(scope, body),
    clock,
  });
  const store = new AgentStore(storage, clock);
  const tools: AgentCheckDeps['tools'] = (scope, ids) => toolStore.among(scope, ids);
  const agents = new Agents(store, {
    voices: VOICES,
    gate,
    brains: ['fast'],
    voiceProviders: ['eleven'],
    recognizers: () => ['whisper-base', 'large'],
    tools,
    ...checks,
  });
  return {
    agents,
    webhooks,
    toolProvider,
    toolStore,
    editing: new Tools(toolStore, gate),
    profiles: new Profiles(store),
    memories: new AgentMemories(storage, clock),
  };
}

export async function openAgents(given?: Storage, checks: Partial<AgentCheckDeps> = {}) {
  const storage = given ?? (await openStorage({ dataDir: ':memory:' }));
  if (given === undefined) storages.push(storage);
  const services = agentServices(storage, checks);
  const { url, access } = await start({
    idempotencyStore: new IdempotencyStore(storage, systemClock),
    surfaces: [
      createAgentsSurface({
        agents: services.agents,
        runs: new TestRuns(storage, systemClock, new DomainEvents()),
        tools: services.toolProvider,
        editing: services.editing,
        clock: systemClock,
        timeZone: 'Europe/Madrid',
      }),
    ],
  });
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: { ...(body === undefined ? bearer : json), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Json & { id: string } };
  };
  return { url, access, storage, send, ...services };
}

export const paramOf = (body: Json): unknown => (body.error as { param?: unknown } | undefined)?.param;
