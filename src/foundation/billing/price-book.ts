import { type AuditActor, appendAuditRecord, SYSTEM_ACTOR } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError, NoSuchError } from '../platform/errors.ts';
import type { Storage } from '../storage/index.ts';
import type { PriceRow } from '../storage/tables/billing.ts';
import { monthOf } from './periods.ts';

export type NewPrice = Pick<PriceRow, 'meter' | 'from_month' | 'micros' | 'per' | 'free_units'>;

const DEPLOYMENT_SCOPE = '';

/**
 * Manages the operator's prices. A price that has taken effect never changes, because invoices are computed from it.
 */
export class PriceBook {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  async list(): Promise<PriceRow[]> {
    const rows = await this.#storage.db
      .selectFrom('prices')
      .selectAll()
      .orderBy('meter')
      .orderBy('from_month', 'desc')
      .execute();
    return rows.map(numbersIn);
  }

  /** A price takes effect with the beginning of a future month. The unit of a meter never changes. */
  async put(price: NewPrice, by: AuditActor = SYSTEM_ACTOR): Promise<PriceRow> {
    const now = this.#clock.now();
    const { meter, from_month: month } = price;
    if (month <= monthOf(now)) {
      const message = `A price must start in a future month, after ${monthOf(now)}.`;
      throw new ApiError('invalid_request', message, { param: 'from_month' });
    }
    return await this.#storage.transaction(async (transaction) => {
      const rows = await transaction
        .selectFrom('prices')
        .selectAll()
        .where('meter', '=', meter)
        .orderBy('from_month', 'desc')
        .execute();
      const unit = rows[0]?.unit;
      if (unit === undefined) throw new NoSuchError('meter');
      const known = rows.find((row) => row.from_month === month) ?? null;
      const row = { ...price, unit };
      await transaction
        .insertInto('prices')
        .values(row)
        .onConflict((conflict) => conflict.columns(['meter', 'from_month']).doUpdateSet(row))
        .execute();
      await appendAuditRecord(transaction, now, {
        orgId: DEPLOYMENT_SCOPE,
        by,
        action: known === null ? 'price.created' : 'price.changed',
        target: `${meter} ${month}`,
        before: known && { ...numbersIn(known) },
        after: row,
      });
      return row;
    });
  }
}

const numbersIn = (row: PriceRow): PriceRow => ({
  ...row,
  micros: Number(row.micros),
  per: Number(row.per),
  free_units: Number(row.free_units),
});
