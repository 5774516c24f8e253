import { type Kysely, sql } from 'kysely';
import type { Tables } from '../storage/tables/index.ts';
import type { Meter } from '../tenancy/index.ts';
import type { CreditStatus, CreditStatusQuery, UsageEvent } from './contract.ts';
import { meterOf } from './metering.ts';
import { dayOf, monthOf, startOfMonth } from './periods.ts';
import type { MonthPrices } from './price-list.ts';
import { addTotals, costMicros, type MeterTotal, NO_TOTAL, wholeMinutes } from './prices.ts';

/** One statement reads everything, so that a concurrent roll-up or settlement is visible whole or not at all. */
interface PositionPart {
  part: 'ledger' | 'org' | 'key' | 'day' | 'waiting' | 'held';
  period: string;
  meter: string;
  key_id: string;
  milliseconds: number;
  call_minutes: number;
  calls: number;
}

async function readParts(
  db: Kysely<Tables>,
  query: CreditStatusQuery,
  now: number,
  ownReservation: string,
): Promise<PositionPart[]> {
  const { orgId, environment } = query;
  const keyId = query.keyId ?? '';
  const month = monthOf(now);
  const day = dayOf(now);
  const monthStart = startOfMonth(month);
  const dayStart = Date.parse(`${day}T00:00:00Z`);
  // Sandbox months are never invoiced: only the current one counts, for the quota.
  const openMonths =
    environment === 'live'
      ? sql`not exists (select 1 from invoices i where i.org_id = ${orgId} and i.period = t.period)`
      : sql`t.period = ${month}`;
  const { rows } = await sql<PositionPart>`
    select 'ledger' as part, '' as period, '' as meter, '' as key_id,
      cast(coalesce(sum(amount_micros), 0) as bigint) as milliseconds,
      cast(0 as bigint) as call_minutes, cast(0 as bigint) as calls
    from ledger_entries where org_id = ${orgId}
    union all
    select 'org', t.period, t.meter, '', t.milliseconds, t.call_minutes, t.calls
    from usage_totals t where t.subject = ${orgId} and t.environment = ${environment} and ${openMonths}
    union all
    select 'key', period, meter, '', milliseconds, call_minutes, calls
    from usage_totals where subject = ${keyId} and environment = ${environment} and period = ${month}
    union all
    select 'day', day, '', '', cast(coalesce(sum(milliseconds), 0) as bigint), cast(0 as bigint), cast(0 as bigint)
    from usage_days where org_id = ${orgId} and day = ${day} and environment = ${environment} group by day
    union all
    select 'waiting',
      case when occurred_at >= ${dayStart} then 'day' when occurred_at >= ${monthStart} then 'month' else 'past' end,
      meter, coalesce(key_id, ''), cast(sum(milliseconds) as bigint),
      cast(sum((milliseconds + 59999) / 60000) as bigint),
      cast(sum(case when bundled = 1 then 0 else count end) as bigint)
    from usage_events where period is null and org_id = ${orgId} and environment = ${environment}
    group by 2, 3, 4
    union all
    select 'held', '', meter, coalesce(key_id, ''), cast(sum(milliseconds) as bigint),
      cast(sum((milliseconds + 59999) / 60000) as bigint), cast(sum(count) as bigint)
    from usage_holds
    where org_id = ${orgId} and environment = ${environment} and expires_at > ${now} and id <> ${ownReservation}
    group by 3, 4`.execute(db);
  return rows;
}

const totalOf = (part: PositionPart): MeterTotal => ({
  milliseconds: BigInt(part.milliseconds),
  callMinutes: BigInt(part.call_minutes),
  calls: BigInt(part.calls),
});

export type Totals = ReadonlyMap<Meter, MeterTotal>;
type Months = ReadonlyMap<string, Totals>;

function sumByMeter(parts: readonly PositionPart[]): Totals {
  const meters = new Map<Meter, MeterTotal>();
  for (const part of parts) {
    const meter = part.meter as Meter;
    meters.set(meter, addTotals(meters.get(meter) ?? NO_TOTAL, totalOf(part)));
  }
  return meters;
}

export const withMore = (totals: Totals, more: Totals): Totals => {
  const sum = new Map(totals);
  for (const [meter, total] of more) sum.set(meter, addTotals(sum.get(meter) ?? NO_TOTAL, total));
  return sum;
};

export const costOf = (meters: Totals, prices: MonthPrices): bigint =>
  [...meters].reduce((sum, [meter, total]) => sum + costMicros(prices(meter), total), 0n);

const audioOf = (parts: readonly PositionPart[]): number =>
  parts.reduce((sum, part) => sum + part.milliseconds, 0);

export interface CreditPosition {
  readonly live: boolean;
  readonly prices: MonthPrices;
  readonly balanceMicros: bigint;
  readonly used: Totals;
  readonly held: Totals;
  readonly keyUsed: Totals;
  readonly keyHeld: Totals;
  readonly dayMilliseconds: number;
  readonly monthMilliseconds: number;
  readonly heldMilliseconds: number;
}

const periodOf = (at: number, now: number): 'day' | 'month' | 'past' => {
  if (dayOf(at) >= dayOf(now)) return 'day';
  return monthOf(at) === monthOf(now) ? 'month' : 'past';
};

const unrecordedPart = (event: UsageEvent, now: number): PositionPart => ({
  part: 'waiting',
  period: periodOf(event.occurredAt, now),
  meter: meterOf(event.use),
  key_id: event.keyId ?? '',
  milliseconds: event.milliseconds,
  call_minutes: wholeMinutes(event.milliseconds),
  calls: event.bundled ? 0 : event.count,
});

export interface CreditPositionOptions {
  readonly unrecorded: readonly UsageEvent[];
  readonly ownReservation?: string;
}

export async function readCreditPosition(
  db: Kysely<Tables>,
  pricesOf: (month: string) => MonthPrices,
  query: CreditStatusQuery,
  now: number,
  { unrecorded, ownReservation = '' }: CreditPositionOptions,
): Promise<CreditPosition> {
  const parts = await readParts(db, query, now, ownReservation);
  for (const event of unrecorded) parts.push(unrecordedPart(event, now));
  const month = monthOf(now);
  const some = (name: PositionPart['part'], wanted: (part: PositionPart) => boolean = () => true) =>
    parts.filter((part) => part.part === name && wanted(part));
  const waiting = some('waiting');
  const ofKey = (part: PositionPart) => part.key_id === query.keyId;
  // The roll-up adds waiting events within seconds. Until then an event of a past month counts toward the current
  // one, which can differ by the second of the month's rounding.
  const org: Months = new Map(
    [...new Set([month, ...some('org').map(({ period }) => period)])].map((period) => [
      period,
      sumByMeter([...some('org', (part) => part.period === period), ...(period === month ? waiting : [])]),
    ]),
  );
  const live = query.environment === 'live';
  let balance = BigInt(some('ledger')[0]?.milliseconds ?? 0);
  if (live) for (const [period, meters] of org) balance -= costOf(meters, pricesOf(period));
  return {
    live,
    prices: pricesOf(month),
    balanceMicros: balance,
    used: org.get(month) as Totals,
    held: sumByMeter(some('held')),
    keyUsed: sumByMeter([
      ...some('key'),
      ...some('waiting', (part) => ofKey(part) && part.period !== 'past'),
    ]),
    keyHeld: sumByMeter(some('held', ofKey)),
    dayMilliseconds: audioOf([...some('day'), ...some('waiting', (part) => part.period === 'day')]),
    monthMilliseconds: audioOf([
      ...some('org', (part) => part.period === month),
      ...some('waiting', (part) => part.period !== 'past'),
    ]),
    heldMilliseconds: audioOf(some('held')),
  };
}

export const heldMicros = ({ live, prices, used, held }: CreditPosition): bigint =>
  live ? costOf(withMore(used, held), prices) - costOf(used, prices) : 0n;

export const creditStatusOf = (position: CreditPosition): CreditStatus => ({
  balanceMicros: position.balanceMicros,
  reservedMicros: heldMicros(position),
  keyMonthMicros: costOf(position.keyUsed, position.prices),
  dayMilliseconds: position.dayMilliseconds,
  monthMilliseconds: position.monthMilliseconds,
  reservedMilliseconds: position.heldMilliseconds,
});
