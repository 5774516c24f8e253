import type { Kysely } from 'kysely';
import type { TenantScope } from '../access/contract.ts';
import type { PageEnd, PageQuery } from '../platform/pages.ts';
import type { Tables } from '../storage/index.ts';
import { newestFirst, withinTenant } from '../storage/index.ts';
import type { WebhookDeliveryRow } from '../storage/tables/webhooks.ts';

export type DeliveryRecord = WebhookDeliveryRow & { readonly event_type: string };

const select = (db: Kysely<Tables>, scope: TenantScope) =>
  withinTenant(db, scope)
    .selectFrom('webhook_deliveries')
    .innerJoin('webhook_events', 'webhook_events.id', 'webhook_deliveries.event_id')
    .selectAll('webhook_deliveries')
    .select('webhook_events.type as event_type');

export interface DeliveryFilter extends PageQuery {
  readonly status?: DeliveryRecord['status'] | undefined;
}

export async function listDeliveries(
  db: Kysely<Tables>,
  scope: TenantScope,
  query: DeliveryFilter,
  start: PageEnd | null,
): Promise<DeliveryRecord[]> {
  const all = select(db, scope);
  const { status } = query;
  const rows = status === undefined ? all : all.where('webhook_deliveries.status', '=', status);
  return await newestFirst(rows, query, start, { of: 'webhook_deliveries' }).execute();
}

export const deliveryOf = async (
  db: Kysely<Tables>,
  scope: TenantScope,
  id: string,
): Promise<DeliveryRecord | null> =>
  (await select(db, scope).where('webhook_deliveries.id', '=', id).executeTakeFirst()) ?? null;
