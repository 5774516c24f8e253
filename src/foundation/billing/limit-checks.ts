import type { Meter } from '../tenancy/index.ts';
import type { CreditReservationOutcome, ExhaustedLimit, UsageAmount, UsageCaps } from './contract.ts';
import { type CreditPosition, costOf, heldMicros, type Totals, withMore } from './credit-position.ts';
import { billedUnits, NO_TOTAL, wholeMinutes } from './prices.ts';

const MILLISECONDS_PER_UNIT = 1000;

const totalsOf = (meter: Meter, { milliseconds, count }: UsageAmount): Totals =>
  new Map([
    [
      meter,
      {
        milliseconds: BigInt(milliseconds),
        callMinutes: BigInt(wholeMinutes(milliseconds)),
        calls: BigInt(count),
      },
    ],
  ]);

/** A request for nothing is refused at a cap that is just reached; an amount that fits exactly is not. */
const exceeds = (used: number, more: number, units: number | null): boolean =>
  units !== null &&
  (more === 0 ? used >= units * MILLISECONDS_PER_UNIT : used + more > units * MILLISECONDS_PER_UNIT);

function exhaustedCreditLimit(
  position: CreditPosition,
  meter: Meter,
  amount: UsageAmount,
  caps: UsageCaps,
): ExhaustedLimit | null {
  const { prices, used, held, keyUsed, keyHeld } = position;
  const more = totalsOf(meter, amount);
  const promised = withMore(used, held);
  const cost = costOf(withMore(promised, more), prices) - costOf(promised, prices);
  const price = prices(meter);
  const isWithinFreeUnits = billedUnits(price.unit, promised.get(meter) ?? NO_TOTAL) < price.freeUnits;
  if (cost === 0n && (isWithinFreeUnits || price.micros === 0n)) return null;
  const keyCost = costOf(withMore(withMore(keyUsed, keyHeld), more), prices);
  if (caps.budgetMicros !== null && keyCost > BigInt(caps.budgetMicros)) return 'budget';
  const available = position.balanceMicros - heldMicros(position);
  return available <= 0n || cost > available ? 'credit' : null;
}

export function exhaustedLimitFor(
  position: CreditPosition,
  meter: Meter,
  amount: UsageAmount,
  caps: UsageCaps,
): ExhaustedLimit | null {
  const { dayMilliseconds, monthMilliseconds, heldMilliseconds } = position;
  const more = amount.milliseconds;
  if (exceeds(dayMilliseconds + heldMilliseconds, more, caps.dailyUnits)) return 'daily_cap';
  if (exceeds(monthMilliseconds + heldMilliseconds, more, caps.quotaUnits)) return 'quota';
  return position.live ? exhaustedCreditLimit(position, meter, amount, caps) : null;
}

export function grantReservation(
  position: CreditPosition,
  meter: Meter,
  { least, wanted, caps }: { least: UsageAmount; wanted: UsageAmount; caps: UsageCaps },
): CreditReservationOutcome {
  const obstacle = exhaustedLimitFor(position, meter, least, caps);
  if (obstacle !== null) return { held: null, obstacle };
  const fits = (milliseconds: number) =>
    exhaustedLimitFor(position, meter, { ...wanted, milliseconds }, caps) === null;
  let low = least.milliseconds;
  let high = Math.max(low, wanted.milliseconds);
  if (fits(high)) low = high;
  // Costs only grow with time, so a binary search finds the longest grant.
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return { held: { ...wanted, milliseconds: low }, obstacle: null };
}
