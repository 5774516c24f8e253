import type { Kysely } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import type { Tables } from '../storage/tables/index.ts';
import type { Meter } from '../tenancy/index.ts';
import type { Price } from './prices.ts';

const REFRESH_MS = 30_000;

interface DatedPrice extends Price {
  readonly fromMonth: string;
}

export type MonthPrices = (meter: Meter) => Price;

/** Caches the rows of the `prices` table. A change is visible within 30 seconds and counts for whole months. */
export class PriceList {
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  #rows: readonly DatedPrice[] = [];
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(db: Kysely<Tables>, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async of(month: string): Promise<MonthPrices> {
    return (await this.ofEveryMonth())(month);
  }

  /** Takes a snapshot of all prices, because a transaction cannot wait for them in its middle. */
  async ofEveryMonth(): Promise<(month: string) => MonthPrices> {
    if (this.#clock.monotonic() - this.#readAt > REFRESH_MS) await this.#read();
    const rows = this.#rows;
    return (month) => (meter) => {
      const found = rows.find((row) => row.meter === meter && row.fromMonth <= month);
      if (found === undefined) throw new Error(`There is no price for ${meter} in ${month}.`);
      return found;
    };
  }

  async #read(): Promise<void> {
    const rows = await this.#db.selectFrom('prices').selectAll().orderBy('from_month', 'desc').execute();
    this.#rows = rows.map((row) => ({
      meter: row.meter,
      fromMonth: row.from_month,
      unit: row.unit,
      micros: BigInt(row.micros),
      per: BigInt(row.per),
      freeUnits: BigInt(row.free_units),
    }));
    this.#readAt = this.#clock.monotonic();
  }
}
