import type { AgentFields } from '../../../src/conversation/agents/index.ts';
import {
  type Brain,
  BrainError,
  type BrainEvent,
  type BrainRequest,
} from '../../../src/conversation/brains/index.ts';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import type { Clock } from '../../../src/foundation/platform/clock.ts';
import { UrlGate } from '../../../src/foundation/platform/url-gate/index.ts';
import { type Storage, withinTenant } from '../../../src/foundation/storage/index.ts';
import { type AfterCallOptions, afterCall } from '../../../src/products/aftercall/index.ts';
import { SEEDS } from '../../contract/seeds.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { CheckedWebhooks } from '../../foundation/webhooks/checked.ts';
import { blobsIn } from '../../media/recordings/opened.ts';

export const HERE = scopeFor('org_a');
export const PLACE = { org_id: 'org_a', project_id: HERE.project, environment: HERE.environment };
export const AGENT = 'agt_00000000000000000001';
export const HOOK = 'https://example.com/extracted';

export const SCHEMA = {
  type: 'object',
  properties: {
    device: { type: 'string', enum: ['boiler', 'heater'] },
    floor: { type: 'integer', minimum: 0 },
    agreed: { type: 'boolean' },
  },
  required: ['device', 'floor'],
};

export const SAID = [
  { role: 'agent', turn_id: 0, text: 'Hello, what is broken?', start_ms: 0, end_ms: 2000 },
  { role: 'user', turn_id: 1, text: 'The boiler on the second floor.', start_ms: 2500, end_ms: 5000 },
  {
    role: 'agent',
    turn_id: 2,
    text: 'I will send a plumber tomorrow. Agreed?',
    start_ms: 5500,
    end_ms: 8000,
  },
  { role: 'user', turn_id: 3, text: 'Yes.', start_ms: 8200, end_ms: 8600 },
];

export type Reply = string | BrainError | ((request: BrainRequest) => string);

export function scripted(forms: readonly Reply[], summary: Reply = 'nothing'): Brain & { asked: string[] } {
  const left = [...forms];
  const asked: string[] = [];
  return {
    name: 'scripted',
    asked,
    async *respond(request): AsyncGenerator<BrainEvent> {
      const isForm = request.persona.startsWith('You fill in a form');
      asked.push(isForm ? 'form' : 'summary');
      const reply = isForm ? (left.length > 1 ? left.shift() : left[0]) : summary;
      if (reply instanceof BrainError) throw reply;
      yield { kind: 'text', text: typeof reply === 'function' ? reply(request) : String(reply) };
    },
  };
}

export const fields = (given: Readonly<Record<string, unknown>>): string => JSON.stringify({ fields: given });

export const GOOD = fields({
  device: { value: 'boiler', quote: 'the boiler' },
  floor: { value: 2, quote: 'on the second floor' },
  agreed: { value: true, quote: 'Yes.' },
});

export interface GivenServices {
  readonly model?: Brain | null;
  readonly wanted?: Partial<AgentFields> | null;
}

export function afterCallOn(storage: Storage, clock: Clock, given: GivenServices = {}) {
  const queue = new JobQueue(storage, clock);
  const gate = new UrlGate({ allowLoopback: true, clock });
  const webhooks = new CheckedWebhooks({
    storage,
    queue,
    gate,
    clock,
    background: new BackgroundTasks({ clock }),
  });
  const faults: string[] = [];
  const wanted = { brain: null, extraction_schema: SCHEMA, extraction_webhook_url: HOOK, ...given.wanted };
  const made = afterCall({
    storage,
    blobs: blobsIn(storage, clock),
    queue,
    webhooks,
    wanted: async () => (given.wanted === null ? null : wanted),
    model: (() => given.model ?? null) as AfterCallOptions['model'],
    onFault: (error) => faults.push(error.message),
    onError: (error) => faults.push(String(error)),
  });
  return { queue, webhooks, made, faults };
}

export async function callIn(
  storage: Storage,
  { made }: Pick<ReturnType<typeof afterCallOn>, 'made'>,
  row: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const call = {
    ...SEEDS.omni_calls('label', 1),
    external_id: 'ana',
    agent_id: AGENT,
    agent_version: 3,
    transcript: JSON.stringify(SAID),
    ...row,
  };
  await withinTenant(storage.db, HERE).insertInto('omni_calls', call).execute();
  await storage.transaction((trx) => made.ended(trx, { kind: 'call', id: call.id, ...PLACE }));
  return call.id;
}
