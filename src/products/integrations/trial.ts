import type { TenantScope } from '../../foundation/access/contract.ts';
import { EVENTS, type EventType, type ProductEvent } from '../../foundation/events/index.ts';
import type { Storage } from '../../foundation/storage/index.ts';
import type { Webhooks } from '../../foundation/webhooks/index.ts';
import type { Destination } from './contract.ts';

/** Sends a sample event through the normal delivery; returns its id. */
export async function tryOut(
  storage: Storage,
  webhooks: Pick<Webhooks, 'publish'>,
  scope: TenantScope,
  { id, url }: Destination,
  type: EventType,
): Promise<string> {
  const sample = { type, data: EVENTS[type].sample } as ProductEvent;
  const trialEvent = type === 'integration.test' ? testOf(id) : sample;
  const event = await storage.transaction((trx) =>
    webhooks.publish(trx, { ...trialEvent, scope, urls: [], only: [{ destination: id, url }] }),
  );
  if (event === null) throw new Error('The test event reached no destination.');
  return event;
}

const testOf = (id: string): ProductEvent => ({
  type: 'integration.test',
  data: { ...EVENTS['integration.test'].sample, destination_id: id },
});
