import { type Selectable, sql, type Transaction } from 'kysely';
import type { Storage } from '../storage/index.ts';
import type { UsageDayRow, UsageEventRow, UsageTotalRow } from '../storage/tables/billing.ts';
import type { Tables } from '../storage/tables/index.ts';
import { dayOf, monthOf, nextMonth } from './periods.ts';
import { wholeMinutes } from './prices.ts';

const BATCH = 500;
/** The value is arbitrary. The lock serializes the roll-ups and invoices of a cluster. */
const ADVISORY_LOCK = 7_281_935_518;

type Event = Selectable<UsageEventRow>;
type Sums = Pick<UsageTotalRow, 'milliseconds' | 'call_minutes' | 'calls'>;

/** Runs `task` while no other node rolls up or invoices. It does not block writers of new events. */
export function withRollupLock<T>(
  storage: Storage,
  task: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  return storage.transaction(
    async (transaction) => {
      // SQLite's transactions take the write lock when they begin; PostgreSQL needs an explicit lock.
      if (storage.dialect === 'postgres') {
        await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`.execute(transaction);
      }
      return await task(transaction);
    },
    { isolation: 'read committed' },
  );
}

export type AfterBatch = (transaction: Transaction<Tables>, orgs: readonly string[]) => Promise<void>;

export async function rollUp(
  storage: Storage,
  orgId: string | null = null,
  after?: AfterBatch,
): Promise<number> {
  for (let total = 0; ; ) {
    const done = await withRollupLock(storage, (transaction) => rollUpBatch(transaction, orgId, after));
    total += done;
    if (done < BATCH) return total;
  }
}

export async function rollUpBatch(
  transaction: Transaction<Tables>,
  orgId: string | null,
  after?: AfterBatch,
): Promise<number> {
  let query = transaction.selectFrom('usage_events').selectAll().where('period', 'is', null);
  if (orgId !== null) query = query.where('org_id', '=', orgId);
  const events = await query.orderBy('recorded_at').limit(BATCH).execute();
  if (events.length === 0) return 0;
  const invoiced = await invoicedMonths(transaction, events);
  const periods = new Map(events.map((event) => [event.id, openMonth(event, invoiced)]));
  await addToTotals(transaction, events, periods);
  await addToDays(transaction, events);
  await setAdded(transaction, periods);
  const paying = events.filter(({ environment }) => environment === 'live').map(({ org_id }) => org_id);
  await after?.(transaction, [...new Set(paying)]);
  return events.length;
}

async function invoicedMonths(transaction: Transaction<Tables>, events: readonly Event[]) {
  const orgs = [...new Set(events.map((event) => event.org_id))];
  const rows = await transaction
    .selectFrom('invoices')
    .select(['org_id', 'period'])
    .where('org_id', 'in', orgs)
    .execute();
  return new Set(rows.map((row) => `${row.org_id} ${row.period}`));
}

/** Returns the month that bills the event: its own or, where that was invoiced already, the next open one. */
function openMonth(event: Event, invoiced: ReadonlySet<string>): string {
  let month = monthOf(event.occurred_at);
  while (invoiced.has(`${event.org_id} ${month}`)) month = nextMonth(month);
  return month;
}

const sumsOf = (event: Event): Sums => ({
  milliseconds: event.milliseconds,
  call_minutes: event.meter === 'telephony' ? wholeMinutes(event.milliseconds) : 0,
  calls: event.bundled === 1 ? 0 : event.count,
});

function add<Row extends Sums>(rows: Map<string, Row>, key: string, fresh: Row): void {
  const row = rows.get(key);
  if (row === undefined) {
    rows.set(key, fresh);
    return;
  }
  row.milliseconds += fresh.milliseconds;
  row.call_minutes += fresh.call_minutes;
  row.calls += fresh.calls;
}

async function addToTotals(
  transaction: Transaction<Tables>,
  events: readonly Event[],
  periods: ReadonlyMap<string, string>,
): Promise<void> {
  const rows = new Map<string, UsageTotalRow>();
  for (const event of events) {
    const { meter, environment } = event;
    const subjects: [string, string][] = [[event.org_id, periods.get(event.id) as string]];
    // A key's budget counts the month in which the key was used, whichever invoice bills it.
    if (event.key_id !== null) subjects.push([event.key_id, monthOf(event.occurred_at)]);
    for (const [subject, period] of subjects) {
      const key = `${subject} ${period} ${meter} ${environment}`;
      add(rows, key, { subject, period, meter, environment, ...sumsOf(event) });
    }
  }
  await transaction
    .insertInto('usage_totals')
    .values([...rows.values()])
    .onConflict((conflict) =>
      conflict.columns(['subject', 'period', 'meter', 'environment']).doUpdateSet({
        milliseconds: sql`usage_totals.milliseconds + excluded.milliseconds`,
        call_minutes: sql`usage_totals.call_minutes + excluded.call_minutes`,
        calls: sql`usage_totals.calls + excluded.calls`,
      }),
    )
    .execute();
}

async function addToDays(transaction: Transaction<Tables>, events: readonly Event[]): Promise<void> {
  const rows = new Map<string, UsageDayRow>();
  for (const event of events) {
    const { org_id, project_id, meter, environment } = event;
    const day = dayOf(event.occurred_at);
    const key_id = event.key_id ?? '';
    const key = `${org_id} ${day} ${project_id} ${key_id} ${meter} ${environment}`;
    add(rows, key, { org_id, day, project_id, key_id, meter, environment, ...sumsOf(event) });
  }
  await transaction
    .insertInto('usage_days')
    .values([...rows.values()])
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'day', 'project_id', 'key_id', 'meter', 'environment']).doUpdateSet({
        milliseconds: sql`usage_days.milliseconds + excluded.milliseconds`,
        call_minutes: sql`usage_days.call_minutes + excluded.call_minutes`,
        calls: sql`usage_days.calls + excluded.calls`,
      }),
    )
    .execute();
}

async function setAdded(
  transaction: Transaction<Tables>,
  periods: ReadonlyMap<string, string>,
): Promise<void> {
  const byPeriod = new Map<string, string[]>();
  for (const [id, period] of periods) byPeriod.set(period, [...(byPeriod.get(period) ?? []), id]);
  for (const [period, ids] of byPeriod) {
    await transaction.updateTable('usage_events').set({ period }).where('id', 'in', ids).execute();
  }
}
