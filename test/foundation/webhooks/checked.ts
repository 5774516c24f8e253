import { Ajv2020 } from 'ajv/dist/2020.js';
import { documentedEvents } from '../../../src/foundation/events/index.ts';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { type Clock, systemClock } from '../../../src/foundation/platform/clock.ts';
import { UrlGate } from '../../../src/foundation/platform/url-gate/index.ts';
import type { Storage } from '../../../src/foundation/storage/index.ts';
import { type WebhookEvent, Webhooks, type WebhooksOptions } from '../../../src/foundation/webhooks/index.ts';
import { WEBHOOK_SEALER } from './sealer.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
const schemas = new Map(documentedEvents().map(({ type, schema }) => [type as string, schema]));

export function problemOf(body: { readonly type: string }): string | null {
  const { type } = body;
  const schema = schemas.get(type);
  if (schema === undefined) return `${type} is not in the catalogue`;
  return ajv.validate(schema, body as unknown) ? null : `${type}: ${ajv.errorsText()}`;
}

/**
 * The outbox rejects an event that its own schema refuses: it checks what a module sends in its tests, whether the
 * module has a receiver or not.
 */
export class CheckedWebhooks extends Webhooks {
  readonly reported: WebhookEvent[] = [];

  constructor(options: Omit<WebhooksOptions, 'sealer'>) {
    super({ sealer: WEBHOOK_SEALER, ...options });
  }

  override async publish(...args: Parameters<Webhooks['publish']>): Promise<string | null> {
    const { type, data } = args[1] as WebhookEvent;
    const reported = JSON.parse(
      JSON.stringify({ id: 'evt_00000000000000000000', type, created_at: 1, data }),
    );
    const problem = problemOf(reported);
    if (problem !== null) throw new Error(`An event is not as its schema says. ${problem}`);
    this.reported.push(args[1]);
    return await super.publish(...args);
  }
}

export const outboxOn = (storage: Storage, clock: Clock = systemClock): CheckedWebhooks =>
  new CheckedWebhooks({
    storage,
    clock,
    background: new BackgroundTasks({ clock }),
    queue: new JobQueue(storage, clock),
    gate: new UrlGate({ allowLoopback: true, clock }),
  });
