import type { Transaction } from 'kysely';
import type { Tables } from '../storage/tables/index.ts';
import type { NotifyBilling } from './billing-notifier.ts';
import { readCreditPosition } from './credit-position.ts';
import type { PriceList } from './price-list.ts';

const LOW_CREDIT_SHARE = 10;

/**
 * Runs in the transaction that added up the usage of these organizations, and notifies each whose credit is low
 * now, once until credit is added.
 */
export async function notifyLowCredit(
  transaction: Transaction<Tables>,
  orgs: readonly string[],
  {
    pricesOf,
    now,
    notify,
  }: {
    readonly pricesOf: Awaited<ReturnType<PriceList['ofEveryMonth']>>;
    readonly now: number;
    readonly notify: NotifyBilling;
  },
): Promise<void> {
  for (const orgId of orgs) {
    const threshold = await thresholdOf(transaction, orgId);
    if (threshold === null) continue;
    const query = { orgId, keyId: null, environment: 'live' as const };
    const { balanceMicros } = await readCreditPosition(transaction, pricesOf, query, now, { unrecorded: [] });
    if (balanceMicros >= threshold) continue;
    const { numUpdatedRows } = await transaction
      .updateTable('organizations')
      .set({ credit_low_at: now })
      .where('id', '=', orgId)
      .where('credit_low_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) continue;
    await notify(transaction, {
      type: 'billing.credit.low',
      data: { org_id: orgId, balance_micros: Number(balanceMicros), threshold_micros: threshold },
    });
  }
}

async function thresholdOf(transaction: Transaction<Tables>, orgId: string): Promise<number | null> {
  const last = await transaction
    .selectFrom('ledger_entries as l')
    .innerJoin('organizations as o', 'o.id', 'l.org_id')
    .select('l.amount_micros')
    .where('l.org_id', '=', orgId)
    .where('l.kind', '=', 'credit')
    .where('o.credit_low_at', 'is', null)
    .orderBy('l.created_at', 'desc')
    .orderBy('l.id', 'desc')
    .executeTakeFirst();
  return last === undefined ? null : Math.floor(Number(last.amount_micros) / LOW_CREDIT_SHARE);
}
