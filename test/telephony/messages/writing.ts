import type { AgentBody } from '../../../src/conversation/agents/index.ts';
import type { BrainEvent, BrainRequest } from '../../../src/conversation/brains/index.ts';
import type { TenantScope } from '../../../src/foundation/access/contract.ts';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { UrlGate } from '../../../src/foundation/platform/url-gate/index.ts';
import { acrossTenants } from '../../../src/foundation/storage/index.ts';
import { LoopbackMessages } from '../../../src/telephony/carriers/index.ts';
import {
  Messages,
  MeteredAnswerAdmission,
  MeteredMessageBilling,
  type NumberDirectory,
  TextAgent,
  type TextAgentDeps,
} from '../../../src/telephony/messages/index.ts';
import { agentServices } from '../../edge/surfaces/agents/server.ts';
import { openService } from '../../foundation/access/access-service.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import type { Databases } from '../../foundation/storage/databases.ts';
import { CheckedWebhooks } from '../../foundation/webhooks/checked.ts';
import { until } from '../../poll.ts';

export const OURS = '+15005550006';
export const ANSWERS = '+15005550001';
export const PERSON = '+15005550007';
export const NOW = Date.parse('2026-11-22T12:00:00Z');

export const on: Partial<AgentBody> = { builtin_tools: ['send_message'] };

type Say = (
  request: BrainRequest,
) => string | readonly BrainEvent[] | Promise<string | readonly BrainEvent[]>;

export const numbersOf = (scope: TenantScope, agentId: string): NumberDirectory => {
  const mine = (at: TenantScope, number: string) => at.org === scope.org && number === OURS;
  return {
    owns: async (at, number) => mine(at, number),
    ownerOf: async (number) => (number === OURS ? scope : null),
    agentOf: async (at, number) => (mine(at, number) ? agentId : null),
    ofAgent: async (at, id) => (mine(at, OURS) && id === agentId ? OURS : null),
  };
};

export async function openWriting(
  databases: Databases,
  body: Partial<AgentBody>,
  say: Say,
  more: Partial<TextAgentDeps> = {},
  carrier = new LoopbackMessages(),
) {
  const storage = await databases.open();
  const clock = new ManualClock(NOW);
  const gate = new UrlGate({ allowLoopback: true, clock });
  const queue = new JobQueue(storage, clock);
  const webhooks = new CheckedWebhooks({
    storage,
    queue,
    gate,
    clock,
    background: new BackgroundTasks({ clock }),
  });
  // A destination is set, because no event is recorded without one.
  webhooks.setDestinations({
    targets: async () => [{ destination: 'dst_1', url: 'https://example.com/' }],
    deliver: async () => ({ status: 204, error: null }),
  });
  const { access, billing, organization, makeKey } = await openService(storage, {
    clock,
    entitledForAll: ['messages'],
  });
  databases.after(() => access.close());
  const key = await makeKey();
  const { orgId: org } = organization;
  const scope = tenantScopeOf(key);
  const services = agentServices(storage);
  const agent = await services.agents.create(scope, { name: 'Maya', ...body }, false);
  const numbers = numbersOf(scope, agent.id);
  const asked: BrainRequest[] = [];
  async function* respond(request: BrainRequest): AsyncGenerator<BrainEvent> {
    asked.push(request);
    clock.advance(1);
    const said = await say(request);
    if (typeof said === 'string') yield { kind: 'text', text: said };
    else yield* said;
  }
  const answerer = new TextAgent({
    brain: { name: 'scripted', respond },
    clock: systemClock,
    profiles: services.profiles,
    tools: services.toolProvider,
    memories: services.memories,
    numbers,
    passages: async () => [],
    guard: async () => null,
    ...more,
  });
  const admission = new MeteredAnswerAdmission({
    access,
    billing,
    clock,
    standings: access.impliedPrincipals,
  });
  const answering = { answerer, admission };
  const texts = new MeteredMessageBilling({ access, billing, clock, standings: access.impliedPrincipals });
  const parts = { storage, queue, clock, gate, webhooks, carrier, numbers, texts, answering };
  const messages = new Messages(parts);
  messages.start();
  databases.after(() => messages.stop(0));
  const sent = async () =>
    (await messages.store.list(scope, { direction: 'outbound' }, { limit: 100 }, null)).reverse();
  const bodies = async () => (await sent()).map(({ body: said }) => said);
  const waiting = async () =>
    (await storage.db.selectFrom('jobs').select('id').where('queue', 'like', 'messages%').execute()).length;
  const idle = () => until(async () => (await waiting()) === 0);
  const events = async (type: string) =>
    await acrossTenants(storage.db)
      .selectFrom('webhook_events')
      .selectAll()
      .where('type', '=', type)
      .execute();
  const billed = async () => {
    const from = '2026-11-01';
    const lines = await billing.usage({ orgId: org, from, to: '2026-11-30', groupBy: ['meter'] });
    return lines.map(({ meter, calls, milliseconds }) => ({ meter, calls, milliseconds }));
  };
  const service = {
    access,
    billing,
    organization,
    key,
    clock,
    carrier,
    scope,
    agent,
    messages,
    numbers,
    services,
  };
  return { ...service, storage, asked, sent, bodies, idle, waiting, events, billed };
}
