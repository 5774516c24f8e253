import type { Meter } from '../tenancy/index.ts';

/** A meter counts in this unit before it is priced; `call` also counts written answers and texts. */
export type Unit = 'second' | 'call_minute' | 'call';

/** A row of the `prices` table charges `micros` micro-units of currency for every `per` units beyond the free ones. */
export interface Price {
  readonly meter: Meter;
  readonly unit: Unit;
  readonly micros: bigint;
  readonly per: bigint;
  readonly freeUnits: bigint;
}

export interface MeterTotal {
  readonly milliseconds: bigint;
  /** Each call is rounded up to whole minutes on its own. */
  readonly callMinutes: bigint;
  /** It counts answered calls not bundled with another meter; for `messages`, written answers and texts. */
  readonly calls: bigint;
}

export const NO_TOTAL: MeterTotal = { milliseconds: 0n, callMinutes: 0n, calls: 0n };

const ceilDivide = (value: bigint, by: bigint): bigint => (value + by - 1n) / by;

export const wholeMinutes = (milliseconds: number): number => Math.ceil(milliseconds / 60_000);

/** This is the only rounding of a meter and period: exact milliseconds up to whole seconds. */
export function billedUnits(unit: Unit, total: MeterTotal): bigint {
  if (unit === 'call_minute') return total.callMinutes;
  if (unit === 'call') return total.calls;
  return ceilDivide(total.milliseconds, 1000n);
}

/**
 * Amounts are whole micro-units. The fraction below one is dropped, so that an invoice never exceeds the list price.
 */
export function amountMicros(price: Price, units: bigint): bigint {
  const chargeable = units > price.freeUnits ? units - price.freeUnits : 0n;
  return (chargeable * price.micros) / price.per;
}

export const costMicros = (price: Price, total: MeterTotal): bigint =>
  amountMicros(price, billedUnits(price.unit, total));

export const addTotals = (one: MeterTotal, other: MeterTotal): MeterTotal => ({
  milliseconds: one.milliseconds + other.milliseconds,
  callMinutes: one.callMinutes + other.callMinutes,
  calls: one.calls + other.calls,
});
