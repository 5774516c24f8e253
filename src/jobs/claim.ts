import { type Kysely, sql } from 'kysely';
import type { Dialect, Tables } from '../storage/index.ts';
import type { JobRow } from '../storage/tables/jobs.ts';
import type { Trx } from './contract.ts';

export interface ClaimRequest {
  readonly queue: string;
  readonly worker: string;
  readonly limit: number;
  readonly now: number;
  readonly leaseMs: number;
  readonly perTenant: number;
}

interface Candidate {
  readonly tenant: string;
  running: number;
  turn: number;
  granted: number;
}

async function nextPriority(trx: Trx, queue: string, after: number | null): Promise<number | null> {
  let query = trx
    .selectFrom('jobs')
    .select((eb) => eb.fn.min('priority').as('priority'))
    .where('queue', '=', queue)
    .where('state', '=', 'waiting');
  if (after !== null) query = query.where('priority', '>', after);
  const row = await query.executeTakeFirst();
  return row?.priority ?? null;
}

/** Each tenant that waits, with the time of its next job. Hops from tenant to tenant on the index, so the work is by the
 * number of tenants and not by the number of jobs. */
function heads(dialect: Dialect, queue: string, priority: number) {
  const waiting = sql`queue = ${queue} and state = 'waiting' and priority = ${priority}`;
  if (dialect === 'sqlite') {
    return sql`
      names(tenant) as (
        select min(tenant) from jobs where ${waiting}
        union all
        select (select min(tenant) from jobs where ${waiting} and tenant > names.tenant)
        from names where names.tenant is not null
      ), heads as (
        select tenant, (select min(run_at) from jobs where ${waiting} and tenant = names.tenant) as run_at
        from names where tenant is not null
      )`;
  }
  // One look at the index for a tenant's name and time together.
  return sql`
    heads(tenant, run_at) as (
      (select tenant, run_at from jobs where ${waiting} order by tenant, run_at limit 1)
      union all
      select next.tenant, next.run_at from heads cross join lateral (
        select tenant, run_at from jobs where ${waiting} and tenant > heads.tenant order by tenant, run_at limit 1
      ) as next
    )`;
}

interface Wanted {
  readonly priority: number;
  readonly slots: number;
}

/** The tenants whose next job is due and that may have more, those to be served first: as many as there are slots are
 * enough, since each gets one before another gets two. */
async function dueTenants(
  trx: Trx,
  dialect: Dialect,
  { queue, now, perTenant }: ClaimRequest,
  { priority, slots }: Wanted,
): Promise<Candidate[]> {
  const { rows } = await sql<{ tenant: string; turn: number; running: number }>`
    with recursive ${heads(dialect, queue, priority)}, busy as (
      select tenant, count(*) as running from jobs where queue = ${queue} and state = 'running' group by tenant
    )
    select heads.tenant as tenant, coalesce(job_turns.turn, 0) as turn, coalesce(busy.running, 0) as running
    from heads
    left join job_turns on job_turns.queue = ${queue} and job_turns.tenant = heads.tenant
    left join busy on busy.tenant = heads.tenant
    where heads.run_at <= ${now} and coalesce(busy.running, 0) < ${perTenant}
    order by 3, 2, 1
    limit ${slots}
  `.execute(trx);
  return rows.map((row) => ({ ...row, granted: 0 }));
}

const before = (a: Candidate, b: Candidate): boolean =>
  a.running + a.granted !== b.running + b.granted
    ? a.running + a.granted < b.running + b.granted
    : a.granted === b.granted && a.turn < b.turn;

/** Grants slots one by one: to whoever has least running, and among equals to whoever waited longest for a turn. */
function share(candidates: readonly Candidate[], slots: number, perTenant: number): readonly Candidate[] {
  for (let slot = 0; slot < slots; slot += 1) {
    let best: Candidate | undefined;
    for (const candidate of candidates) {
      if (candidate.running + candidate.granted >= perTenant) continue;
      if (!best || before(candidate, best)) best = candidate;
    }
    if (!best) break;
    best.granted += 1;
  }
  return candidates.filter(({ granted }) => granted > 0);
}

async function take(
  trx: Trx,
  dialect: Dialect,
  request: ClaimRequest,
  priority: number,
  tenant: string,
  count: number,
): Promise<JobRow[]> {
  let chosen = trx
    .selectFrom('jobs')
    .select('id')
    .where('queue', '=', request.queue)
    .where('state', '=', 'waiting')
    .where('priority', '=', priority)
    .where('tenant', '=', tenant)
    .where('run_at', '<=', request.now)
    .orderBy('run_at')
    .orderBy('id')
    .limit(count);
  // Rows that another claim has just locked are passed over instead of waited for.
  if (dialect === 'postgres') chosen = chosen.forUpdate().skipLocked();
  return await trx
    .with('chosen', () => chosen)
    .updateTable('jobs')
    .set((eb) => ({
      state: 'running',
      worker: request.worker,
      lease_until: request.now + request.leaseMs,
      fence: eb('fence', '+', 1),
      attempts: eb('attempts', '+', 1),
    }))
    .where('id', 'in', (eb) => eb.selectFrom('chosen').select('id'))
    .returningAll()
    .execute();
}

async function recordTurns(trx: Trx, queue: string, tenants: readonly string[]): Promise<void> {
  // In one order everywhere, so that two claims never wait for each other.
  const places = tenants.map((tenant, index) => ({ tenant, place: index + 1 }));
  places.sort((a, b) => (a.tenant < b.tenant ? -1 : 1));
  const last = sql<number>`(select coalesce(max(turn), 0) from job_turns where queue = ${queue})`;
  await trx
    .insertInto('job_turns')
    .values(places.map(({ tenant, place }) => ({ queue, tenant, turn: sql<number>`${last} + ${place}` })))
    .onConflict((conflict) =>
      conflict.columns(['queue', 'tenant']).doUpdateSet((eb) => ({ turn: eb.ref('excluded.turn') })),
    )
    .execute();
}

/** Up to `limit` due jobs, by priority and then in turns between tenants, leased to the worker. */
export async function claim(trx: Trx, dialect: Dialect, request: ClaimRequest): Promise<JobRow[]> {
  const claimed: JobRow[] = [];
  const served: string[] = [];
  let priority = await nextPriority(trx, request.queue, null);
  while (priority !== null && claimed.length < request.limit) {
    const wanted = { priority, slots: request.limit - claimed.length };
    const candidates = await dueTenants(trx, dialect, request, wanted);
    const before = claimed.length;
    for (const candidate of share(candidates, wanted.slots, request.perTenant)) {
      const jobs = await take(trx, dialect, request, priority, candidate.tenant, candidate.granted);
      if (jobs.length > 0) served.push(candidate.tenant);
      claimed.push(...jobs);
    }
    // A tenant may have fewer jobs than slots granted: what is left over goes round again. Where nothing was to be had,
    // another claim is just taking it.
    if (claimed.length === before) priority = await nextPriority(trx, request.queue, priority);
  }
  if (served.length > 0) await recordTurns(trx, request.queue, [...new Set(served)]);
  return claimed;
}

/** When the queue next has something to do: a job that becomes due or a lease that runs out. */
export async function nextDue(db: Kysely<Tables>, queue: string): Promise<number | null> {
  const waiting = await db
    .selectFrom('jobs')
    .select((eb) => eb.fn.min('run_at').as('at'))
    .where('queue', '=', queue)
    .where('state', '=', 'waiting')
    .executeTakeFirst();
  const leased = await db
    .selectFrom('jobs')
    .select((eb) => eb.fn.min('lease_until').as('at'))
    .where('queue', '=', queue)
    .where('lease_until', 'is not', null)
    .executeTakeFirst();
  const times = [waiting?.at ?? null, leased?.at ?? null].filter((at): at is number => at !== null);
  return times.length > 0 ? Math.min(...times) : null;
}
