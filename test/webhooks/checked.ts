import { Ajv2020 } from 'ajv/dist/2020.js';
import { shownEvents } from '../../src/events/index.ts';
import { type WebhookEvent, Webhooks } from '../../src/webhooks/index.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
const schemas = new Map(shownEvents().map(({ type, schema }) => [type as string, schema]));

/** Why a body is not the event that it says it is; null: it is. */
export function problemOf(body: { readonly type: string }): string | null {
  const { type } = body;
  const schema = schemas.get(type);
  if (schema === undefined) return `${type} is not in the catalogue`;
  return ajv.validate(schema, body as unknown) ? null : `${type}: ${ajv.errorsText()}`;
}

/** The outbox as it is, but nothing enters it that its own schema refuses: what a room sends in its tests is checked,
 * whether the room has a receiver or not. */
export class CheckedWebhooks extends Webhooks {
  override async publish(...args: Parameters<Webhooks['publish']>): Promise<string | null> {
    const { type, data } = args[1] as WebhookEvent;
    const told = JSON.parse(JSON.stringify({ id: 'evt_00000000000000000000', type, created_at: 1, data }));
    const problem = problemOf(told);
    if (problem !== null) throw new Error(`An event is not as its schema says. ${problem}`);
    return await super.publish(...args);
  }
}
