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

/** The tenants whose next job is due. Hops from tenant to tenant on the index, so the work is by the number of
 * tenants and not by the number of jobs. */
async function dueTenants(trx: Trx, queue: string, priority: number, now: number): Promise<Candidate[]> {
  const waiting = sql`queue = ${queue} and state = 'waiting' and priority = ${priority}`;
  const { rows } = await sql<{ tenant: string; turn: number | null; running: number | null }>`
    with recursive heads(tenant) as (
      select min(tenant) from jobs where ${waiting}
      union all
      select (select min(tenant) from jobs where ${waiting} and tenant > heads.tenant)
      from heads where heads.tenant is not null
    ), busy as (
      select tenant, count(*) as running from jobs where queue = ${queue} and state = 'running' group by tenant
    )
    select heads.tenant as tenant, job_turns.turn as turn, busy.running as running
    from heads
    left join job_turns on job_turns.queue = ${queue} and job_turns.tenant = heads.tenant
    left join busy on busy.tenant = heads.tenant
    where heads.tenant is not null
      and (select min(run_at) from jobs where ${waiting} and tenant = heads.tenant) <= ${now}
  `.execute(trx);
  return rows.map((row) => ({
    tenant: row.tenant,
    turn: row.turn ?? 0,
    running: row.running ?? 0,
    granted: 0,
  }));
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
    const candidates = await dueTenants(trx, request.queue, priority, request.now);
    // A tenant may have fewer jobs than slots granted: what is left over goes round again.
    for (let open = candidates; open.length > 0 && claimed.length < request.limit; ) {
      const granted = share(open, request.limit - claimed.length, request.perTenant);
      if (granted.length === 0) break;
      const exhausted = new Set<string>();
      for (const candidate of granted) {
        const jobs = await take(trx, dialect, request, priority, candidate.tenant, candidate.granted);
        if (jobs.length < candidate.granted) exhausted.add(candidate.tenant);
        if (jobs.length > 0) served.push(candidate.tenant);
        claimed.push(...jobs);
        candidate.running += jobs.length;
        candidate.granted = 0;
      }
      open = open.filter(({ tenant }) => !exhausted.has(tenant));
    }
    if (claimed.length < request.limit) priority = await nextPriority(trx, request.queue, priority);
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
