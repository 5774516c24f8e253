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
  /** Of each priority, the tenant whose turn was last. The worker's own, kept from claim to claim. */
  readonly turns: Map<number, string>;
}

/** A tenant whose next job is due. */
interface Candidate {
  readonly tenant: string;
  readonly running: number;
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

interface Head {
  readonly tenant: string;
  readonly run_at: number;
}

/** Where to begin among the tenants, in the order of their names. */
interface Place {
  readonly tenant: string;
  readonly inclusive: boolean;
}

/** Tenants that wait, by name from `from` on, each with the time of its next job. Hops from tenant to tenant on the
 * index, so the work is by `limit` and neither by the number of jobs nor by that of tenants. */
async function heads(
  trx: Trx,
  dialect: Dialect,
  { queue, priority }: { queue: string; priority: number },
  from: Place,
  limit: number,
): Promise<readonly Head[]> {
  const waiting = sql`queue = ${queue} and state = 'waiting' and priority = ${priority}`;
  const begins = from.inclusive ? sql`tenant >= ${from.tenant}` : sql`tenant > ${from.tenant}`;
  const found =
    dialect === 'sqlite'
      ? sql<Head>`
          with recursive names(tenant) as (
            select min(tenant) from jobs where ${waiting} and ${begins}
            union all
            select (select min(tenant) from jobs where ${waiting} and tenant > names.tenant)
            from names where names.tenant is not null
            limit ${limit}
          )
          select tenant, (select min(run_at) from jobs where ${waiting} and tenant = names.tenant) as run_at
          from names where tenant is not null`
      : // One look at the index for a tenant's name and time together.
        sql<Head>`
          with recursive heads(tenant, run_at) as (
            (select tenant, run_at from jobs where ${waiting} and ${begins} order by tenant, run_at limit 1)
            union all
            select next.tenant, next.run_at from heads cross join lateral (
              select tenant, run_at from jobs where ${waiting} and tenant > heads.tenant
              order by tenant, run_at limit 1
            ) as next
          )
          select tenant, run_at from heads limit ${limit}`;
  return (await found.execute(trx)).rows;
}

async function runningOf(trx: Trx, queue: string): Promise<Map<string, number>> {
  const rows = await trx
    .selectFrom('jobs')
    .select('tenant')
    .select((eb) => eb.fn.countAll<number>().as('running'))
    .where('queue', '=', queue)
    .where('state', '=', 'running')
    .groupBy('tenant')
    .execute();
  return new Map(rows.map(({ tenant, running }) => [tenant, Number(running)]));
}

/** Whoever waited longest begins, where this worker has served nobody yet: a fleet that restarts over and over favours
 * no name. */
async function firstTurn(trx: Trx, { queue }: ClaimRequest, priority: number): Promise<Place> {
  const oldest = await trx
    .selectFrom('jobs')
    .select('tenant')
    .where('queue', '=', queue)
    .where('state', '=', 'waiting')
    .where('priority', '=', priority)
    .orderBy('run_at')
    .limit(1)
    .executeTakeFirst();
  return { tenant: oldest?.tenant ?? '', inclusive: true };
}

const MOST_HEADS = 1000;

/** Tenants in turn order from the one after the last served, once round. */
async function* inTurn(
  trx: Trx,
  dialect: Dialect,
  request: ClaimRequest,
  priority: number,
  expected: number,
): AsyncGenerator<Head> {
  const last = request.turns.get(priority);
  const start =
    last === undefined ? await firstTurn(trx, request, priority) : { tenant: last, inclusive: false };
  // How names are ordered is the database's affair.
  const seen = new Set<string>();
  const kind = { queue: request.queue, priority };
  let size = expected;
  for (let from of [start, { tenant: '', inclusive: true }]) {
    for (;;) {
      const page = await heads(trx, dialect, kind, from, size);
      for (const head of page) {
        if (seen.has(head.tenant)) return;
        seen.add(head.tenant);
        yield head;
      }
      if (page.length < size) break;
      from = { tenant: page.at(-1)?.tenant ?? '', inclusive: false };
      size = Math.min(size * 2, MOST_HEADS);
    }
  }
}

interface Wanted {
  readonly priority: number;
  readonly slots: number;
}

/** The tenants whose next job is due and that may have more, in turn order: no more than are needed to know who comes
 * first. Each of as many idle ones as there are slots gets one before anyone gets two. */
async function dueTenants(
  trx: Trx,
  dialect: Dialect,
  request: ClaimRequest,
  { priority, slots }: Wanted,
): Promise<readonly Candidate[]> {
  const running = await runningOf(trx, request.queue);
  const due: Candidate[] = [];
  let idle = 0;
  for await (const head of inTurn(trx, dialect, request, priority, slots + running.size + 1)) {
    const busy = running.get(head.tenant) ?? 0;
    if (head.run_at > request.now || busy >= request.perTenant) continue;
    due.push({ tenant: head.tenant, running: busy, granted: 0 });
    if (busy === 0) idle += 1;
    if (idle === slots) break;
  }
  return due;
}

/** Grants slots one by one: to whoever has least running, and among equals to whoever's turn comes first. Gives back the
 * tenants in the order in which each was first served. */
function share(candidates: readonly Candidate[], slots: number, perTenant: number): readonly Candidate[] {
  const served = new Set<Candidate>();
  for (let slot = 0; slot < slots; slot += 1) {
    let best: Candidate | undefined;
    for (const candidate of candidates) {
      const has = candidate.running + candidate.granted;
      if (has < perTenant && (!best || has < best.running + best.granted)) best = candidate;
    }
    if (!best) break;
    best.granted += 1;
    served.add(best);
  }
  return [...served];
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

/** Up to `limit` due jobs, by priority and then in turns between tenants, leased to the worker. */
export async function claim(trx: Trx, dialect: Dialect, request: ClaimRequest): Promise<JobRow[]> {
  const claimed: JobRow[] = [];
  let priority = await nextPriority(trx, request.queue, null);
  while (priority !== null && claimed.length < request.limit) {
    const wanted = { priority, slots: request.limit - claimed.length };
    const candidates = await dueTenants(trx, dialect, request, wanted);
    const before = claimed.length;
    for (const { tenant, granted } of share(candidates, wanted.slots, request.perTenant)) {
      claimed.push(...(await take(trx, dialect, request, priority, tenant, granted)));
      request.turns.set(priority, tenant);
    }
    // A tenant may have fewer jobs than slots granted: what is left over goes round again. Where nothing was to be had,
    // another claim is just taking it.
    if (claimed.length === before) priority = await nextPriority(trx, request.queue, priority);
  }
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
