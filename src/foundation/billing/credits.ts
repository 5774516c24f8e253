import { type AuditActor, appendAuditRecord, SYSTEM_ACTOR } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError, NoSuchError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Storage } from '../storage/index.ts';

export interface CreditGrant {
  readonly orgId: string;
  readonly amountMicros: number;
  /** The payer's own reference of the payment makes a repeated request count once. */
  readonly reference?: string | undefined;
  readonly note?: string | undefined;
  readonly by?: AuditActor | undefined;
}

export interface CreditEntry {
  readonly id: string;
  readonly orgId: string;
  readonly amountMicros: number;
  readonly reference: string;
  readonly note: string | null;
  readonly createdAt: number;
}

/**
 * Converts `12.5` to micro-units without a float. Returns null unless it is an amount above zero with at most six
 * decimals.
 */
export function parseAmount(text: string): number | null {
  const match = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text);
  if (match === null) return null;
  const micros = BigInt(match[1]!) * 1_000_000n + BigInt((match[2] ?? '').padEnd(6, '0') || '0');
  return micros > 0n ? Number(micros) : null;
}

export async function addCredit(storage: Storage, clock: Clock, credit: CreditGrant): Promise<CreditEntry> {
  const id = newId('led');
  const reference = credit.reference === undefined ? id : `credit ${credit.reference}`;
  const row = await storage.transaction(async (transaction) => {
    const organization = await transaction
      .selectFrom('organizations')
      .select('id')
      .where('id', '=', credit.orgId)
      .executeTakeFirst();
    if (organization === undefined) {
      throw new NoSuchError('organization', { param: 'org_id' });
    }
    const { numInsertedOrUpdatedRows: added } = await transaction
      .insertInto('ledger_entries')
      .values({
        id,
        org_id: credit.orgId,
        kind: 'credit',
        amount_micros: credit.amountMicros,
        reference,
        note: credit.note ?? null,
        created_at: clock.now(),
      })
      .onConflict((conflict) => conflict.columns(['org_id', 'reference']).doNothing())
      .executeTakeFirst();
    if (added === 1n) {
      await appendAuditRecord(transaction, clock.now(), creditAuditRecord(credit, reference));
      await transaction
        .updateTable('organizations')
        .set({ credit_low_at: null })
        .where('id', '=', credit.orgId)
        .execute();
    }
    return await transaction
      .selectFrom('ledger_entries')
      .selectAll()
      .where('org_id', '=', credit.orgId)
      .where('reference', '=', reference)
      .executeTakeFirstOrThrow();
  });
  if (row.amount_micros !== credit.amountMicros) {
    throw new ApiError(
      'idempotency_conflict',
      'A credit of a different amount was added with this reference before; use a new reference.',
      { param: 'reference' },
    );
  }
  return {
    id: row.id,
    orgId: row.org_id,
    amountMicros: row.amount_micros,
    reference: credit.reference ?? row.reference,
    note: row.note,
    createdAt: row.created_at,
  };
}

const creditAuditRecord = (
  { orgId, amountMicros, note, by = SYSTEM_ACTOR }: CreditGrant,
  reference: string,
) => ({
  orgId,
  by,
  action: 'credit.added',
  target: reference,
  before: null,
  after: { amount_micros: amountMicros, note: note ?? null },
});
