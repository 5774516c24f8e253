import { type Expression, type Kysely, sql } from 'kysely';
import type { Tables } from '../storage/tables/index.ts';
import type { Meter } from '../tenancy/index.ts';
import { monthOf } from './periods.ts';
import type { MonthPrices, PriceList } from './price-list.ts';
import { amountMicros, billedUnits, type MeterTotal, wholeMinutes } from './prices.ts';

export type Costs = ReadonlyMap<Meter, bigint>;

/** Prices single events at the list price of their month. A month's free units reduce its invoice alone. */
export class UsageEventCosts {
  readonly #db: Kysely<Tables>;
  readonly #prices: PriceList;

  constructor(db: Kysely<Tables>, prices: PriceList) {
    this.#db = db;
    this.#prices = prices;
  }

  async each(ids: readonly string[]): Promise<ReadonlyMap<string, { meter: Meter; micros: bigint }>> {
    if (ids.length === 0) return new Map();
    const pricesOf = await this.#prices.ofEveryMonth();
    const rows = await this.#db
      .selectFrom('usage_events')
      .selectAll()
      .where('id', 'in', [...ids])
      .execute();
    return new Map(
      rows.map((row) => {
        const milliseconds = Number(row.milliseconds);
        const total: MeterTotal = {
          milliseconds: BigInt(milliseconds),
          callMinutes: BigInt(wholeMinutes(milliseconds)),
          calls: row.bundled === 1 ? 0n : BigInt(row.count),
        };
        const meter = row.meter as Meter;
        const micros = priced(pricesOf(monthOf(Number(row.occurred_at))), meter, total);
        return [row.id, { meter, micros }];
      }),
    );
  }

  async sum(ids: Expression<{ id: string | null }>, at: number): Promise<Costs> {
    const prices = await this.#prices.of(monthOf(at));
    const rows = await this.#db
      .selectFrom('usage_events')
      .select('meter')
      .select([
        sql<number>`cast(sum(milliseconds) as bigint)`.as('milliseconds'),
        sql<number>`cast(sum((milliseconds + 59999) / 60000) as bigint)`.as('minutes'),
        sql<number>`cast(sum(case when bundled = 1 then 0 else count end) as bigint)`.as('calls'),
      ])
      .where('id', 'in', ids as never)
      .groupBy('meter')
      .execute();
    return new Map(
      rows.map((row) => {
        const meter = row.meter as Meter;
        const total: MeterTotal = {
          milliseconds: BigInt(row.milliseconds),
          callMinutes: BigInt(row.minutes),
          calls: BigInt(row.calls),
        };
        return [meter, priced(prices, meter, total)];
      }),
    );
  }

  async callMicros(meter: Meter, milliseconds: number, at: number): Promise<bigint> {
    const total: MeterTotal = {
      milliseconds: BigInt(milliseconds),
      callMinutes: BigInt(wholeMinutes(milliseconds)),
      calls: 0n,
    };
    return priced(await this.#prices.of(monthOf(at)), meter, total);
  }
}

function priced(prices: MonthPrices, meter: Meter, total: MeterTotal): bigint {
  const price = prices(meter);
  return amountMicros({ ...price, freeUnits: 0n }, billedUnits(price.unit, total));
}
