import type { Kysely } from 'kysely';
import type { Reach } from '../access/contract.ts';
import type { PageEnd } from '../platform/pages.ts';
import type { Tables } from '../storage/index.ts';
import { within } from '../storage/index.ts';
import type { WebhookDeliveryRow } from '../storage/tables/webhooks.ts';

export type DeliveryRecord = WebhookDeliveryRow & { readonly event_type: string };

const select = (db: Kysely<Tables>, reach: Reach) =>
  within(db, reach)
    .selectFrom('webhook_deliveries')
    .innerJoin('webhook_events', 'webhook_events.id', 'webhook_deliveries.event_id')
    .selectAll('webhook_deliveries')
    .select('webhook_events.type as event_type');

export async function listDeliveries(
  db: Kysely<Tables>,
  reach: Reach,
  limit: number,
  start: PageEnd | null,
): Promise<DeliveryRecord[]> {
  let query = select(db, reach);
  if (start) {
    query = query.where(({ eb, or, and }) =>
      or([
        eb('webhook_deliveries.created_at', '<', start.createdAt),
        and([
          eb('webhook_deliveries.created_at', '=', start.createdAt),
          eb('webhook_deliveries.id', '<', start.id),
        ]),
      ]),
    );
  }
  return await query
    .orderBy('webhook_deliveries.created_at', 'desc')
    .orderBy('webhook_deliveries.id', 'desc')
    .limit(limit)
    .execute();
}

export const deliveryOf = async (
  db: Kysely<Tables>,
  reach: Reach,
  id: string,
): Promise<DeliveryRecord | null> =>
  (await select(db, reach).where('webhook_deliveries.id', '=', id).executeTakeFirst()) ?? null;
