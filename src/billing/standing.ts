import { type Kysely, sql } from 'kysely';
import type { Meter } from '../access/contract.ts';
import type { Tables } from '../storage/tables/index.ts';
import type { Standing, StandingQuery } from './contract.ts';
import { dayOf, monthOf, startOfMonth } from './periods.ts';
import type { MonthPrices, PriceList } from './price-list.ts';
import { addTotals, billedUnits, costMicros, type MeterTotal, NO_TOTAL } from './prices.ts';

/** Everything is read by one statement, so that a roll-up beside it is seen whole or not at all. */
interface Part {
  part: 'ledger' | 'org' | 'key' | 'day' | 'waiting';
  /** The month of `org` and `key`; of `waiting`: which of day and month it is in. */
  period: string;
  meter: string;
  key_id: string;
  /** Micro-units for `ledger`. */
  milliseconds: number;
  call_minutes: number;
  calls: number;
}

async function readParts(db: Kysely<Tables>, query: StandingQuery, now: number): Promise<Part[]> {
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
  const { rows } = await sql<Part>`
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
    group by 2, 3, 4`.execute(db);
  return rows;
}

const totalOf = (part: Part): MeterTotal => ({
  milliseconds: BigInt(part.milliseconds),
  callMinutes: BigInt(part.call_minutes),
  calls: BigInt(part.calls),
});

/** Totals by month, then by meter. */
type Months = Map<string, Map<Meter, MeterTotal>>;

function addTo(months: Months, period: string, part: Part): void {
  const meters = months.get(period) ?? new Map<Meter, MeterTotal>();
  const meter = part.meter as Meter;
  meters.set(meter, addTotals(meters.get(meter) ?? NO_TOTAL, totalOf(part)));
  months.set(period, meters);
}

const costOfMonth = (meters: ReadonlyMap<Meter, MeterTotal>, prices: MonthPrices): bigint =>
  [...meters].reduce((sum, [meter, total]) => sum + costMicros(prices(meter), total), 0n);

/** What milliseconds on top of a month's totals would add to its cost. */
function costOfMore(
  totals: ReadonlyMap<Meter, MeterTotal>,
  prices: MonthPrices,
  more: readonly (readonly [Meter, number])[],
): bigint {
  const after = new Map(totals);
  for (const [meter, milliseconds] of more) {
    const total = { ...NO_TOTAL, milliseconds: BigInt(milliseconds) };
    after.set(meter, addTotals(after.get(meter) ?? NO_TOTAL, total));
  }
  return costOfMonth(after, prices) - costOfMonth(totals, prices);
}

/** Milliseconds of the parts that `wanted` picks. */
const audioOf = (parts: readonly Part[], wanted: (part: Part) => boolean): number =>
  parts.reduce((sum, part) => (wanted(part) ? sum + part.milliseconds : sum), 0);

export async function readStanding(
  db: Kysely<Tables>,
  priceList: PriceList,
  query: StandingQuery,
  now: number,
): Promise<Standing> {
  const parts = await readParts(db, query, now);
  const month = monthOf(now);
  const org: Months = new Map();
  const key: Months = new Map();
  for (const part of parts) {
    if (part.part === 'org') addTo(org, part.period, part);
    if (part.part === 'key') addTo(key, part.period, part);
    // What waits is added up within seconds. Until then an event of a past month counts with the current one, which
    // can differ by the second that a month's rounding gives.
    if (part.part === 'waiting') addTo(org, month, part);
    if (part.part === 'waiting' && part.key_id === query.keyId && part.period !== 'past') {
      addTo(key, month, part);
    }
  }
  const prices = await priceList.of(month);
  let balance = BigInt(parts.find((part) => part.part === 'ledger')?.milliseconds ?? 0);
  if (query.environment === 'live') {
    for (const [period, meters] of org) balance -= costOfMonth(meters, await priceList.of(period));
  }
  const thisMonth = org.get(month) ?? new Map<Meter, MeterTotal>();
  const used = thisMonth.get(query.meter) ?? NO_TOTAL;
  const price = prices(query.meter);
  const pending: [Meter, number] = [query.meter, query.pendingMilliseconds];
  const pendingMicros = costOfMore(thisMonth, prices, [pending]);
  const all = [pending, ...(query.alsoPending ?? [])];
  const keyMonth = key.get(month) ?? new Map<Meter, MeterTotal>();
  const allOfKey = [pending, ...(query.alsoPendingOfKey ?? [])];
  return {
    balanceMicros: balance,
    keyMonthMicros: costOfMonth(keyMonth, prices),
    dayMilliseconds: audioOf(
      parts,
      (part) => part.part === 'day' || (part.part === 'waiting' && part.period === 'day'),
    ),
    monthMilliseconds: audioOf(
      parts,
      (part) =>
        (part.part === 'org' && part.period === month) || (part.part === 'waiting' && part.period !== 'past'),
    ),
    pendingMicros,
    alsoPendingMicros: costOfMore(thisMonth, prices, all) - pendingMicros,
    keyAlsoPendingMicros: costOfMore(keyMonth, prices, allOfKey) - costOfMore(keyMonth, prices, [pending]),
    free: billedUnits(price.unit, used) < price.freeUnits,
  };
}
