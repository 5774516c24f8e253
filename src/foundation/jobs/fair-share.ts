import { sql } from 'kysely';
import type { Dialect } from '../storage/index.ts';
import type { Trx } from './contract.ts';

export interface FairShareRequest {
  readonly queue: string;
  readonly now: number;
  /** Infinity means no bound. */
  readonly perTenant: number;
  readonly perGroup: number;
  readonly lastServed: Map<number, string>;
  /** Up to this number of due jobs, the claim reads all of them. Only tests change it. */
  readonly readAllLimit?: number;
}

interface Group {
  running: number;
  found: number;
}

export interface TenantCandidate {
  readonly tenant: string;
  readonly group: Group;
  readonly running: number;
  granted: number;
}

const READ_ALL_LIMIT = 256;
const MAX_PAGE = 1000;
const MAX_TENANTS_VISITED = 2000;

const groupOf = (tenant: string): string => tenant.split(' ', 1)[0] as string;
/** The next group begins after this name: names are ordered by their bytes, and `!` comes after the space. */
const behindGroup = (tenant: string): string => `${groupOf(tenant)}!`;

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

interface WaitingTenant {
  readonly tenant: string;
  readonly run_at: number;
}

interface ScanStart {
  readonly tenant: string;
  readonly inclusive: boolean;
}

/**
 * Yields waiting tenants by name from `from` on, each with the time of its next job. It skips from tenant to tenant
 * on the index, so the cost depends on `limit`, not on the number of jobs.
 */
async function waitingTenants(
  trx: Trx,
  dialect: Dialect,
  { queue, priority }: { queue: string; priority: number },
  from: ScanStart,
  limit: number,
): Promise<readonly WaitingTenant[]> {
  const waiting = sql`queue = ${queue} and state = 'waiting' and priority = ${priority}`;
  const begins = from.inclusive ? sql`tenant >= ${from.tenant}` : sql`tenant > ${from.tenant}`;
  const found =
    dialect === 'sqlite'
      ? sql<WaitingTenant>`
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
        sql<WaitingTenant>`
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

class RunningCounts {
  readonly #groups = new Map<string, Group>();
  readonly #tenants: ReadonlyMap<string, number>;

  constructor(tenants: ReadonlyMap<string, number>) {
    this.#tenants = tenants;
    for (const [tenant, running] of tenants) this.group(tenant).running += running;
  }

  get size(): number {
    return this.#tenants.size;
  }

  of(tenant: string): number {
    return this.#tenants.get(tenant) ?? 0;
  }

  group(tenant: string): Group {
    const name = groupOf(tenant);
    const group = this.#groups.get(name) ?? { running: 0, found: 0 };
    this.#groups.set(name, group);
    return group;
  }
}

async function readRunningCounts(trx: Trx, queue: string): Promise<RunningCounts> {
  const rows = await trx
    .selectFrom('jobs')
    .select('tenant')
    .select((eb) => eb.fn.countAll<number>().as('running'))
    .where('queue', '=', queue)
    .where('state', '=', 'running')
    .groupBy('tenant')
    .execute();
  return new RunningCounts(new Map(rows.map(({ tenant, running }) => [tenant, Number(running)])));
}

/**
 * A worker that has served no tenant yet starts with the longest waiting one, so that frequent restarts favour no
 * name.
 */
async function longestWaiting(trx: Trx, { queue }: FairShareRequest, priority: number): Promise<ScanStart> {
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

async function* tenantsRoundRobin(
  trx: Trx,
  dialect: Dialect,
  request: FairShareRequest,
  { priority, expected, isFull }: { priority: number; expected: number; isFull: (tenant: string) => boolean },
): AsyncGenerator<WaitingTenant> {
  const last = request.lastServed.get(priority);
  const start =
    last === undefined ? await longestWaiting(trx, request, priority) : { tenant: last, inclusive: false };
  const seen = new Set<string>();
  const kind = { queue: request.queue, priority };
  let size = Math.min(expected, MAX_PAGE);
  for (let from of [start, { tenant: '', inclusive: true }]) {
    for (;;) {
      const page = await waitingTenants(trx, dialect, kind, from, size);
      let full: string | undefined;
      for (const head of page) {
        if (seen.has(head.tenant)) return;
        seen.add(head.tenant);
        yield head;
        if (!isFull(head.tenant)) continue;
        full = head.tenant;
        break;
      }
      if (full === undefined && page.length < size) break;
      from =
        full === undefined
          ? { tenant: page.at(-1)?.tenant ?? '', inclusive: false }
          : { tenant: behindGroup(full), inclusive: true };
      size = Math.min(size * 2, MAX_PAGE);
    }
  }
}

interface WantedSlots {
  readonly after: number | null;
  readonly slots: number;
}

class TenantCandidates {
  readonly found: TenantCandidate[] = [];
  idle = 0;
  readonly #running: RunningCounts;
  readonly #request: FairShareRequest;
  readonly #slots: number;

  constructor(running: RunningCounts, request: FairShareRequest, slots: number) {
    this.#running = running;
    this.#request = request;
    this.#slots = slots;
  }

  add(tenant: string): void {
    const running = this.#running.of(tenant);
    if (running >= this.#request.perTenant || this.isFull(tenant)) return;
    const group = this.#running.group(tenant);
    if (group.running === 0 && group.found === 0) this.idle += 1;
    group.found += 1;
    this.found.push({ tenant, group, running, granted: 0 });
  }

  isFull(tenant: string): boolean {
    const { running, found } = this.#running.group(tenant);
    return found >= Math.min(this.#slots, this.#request.perGroup - running);
  }
}

interface Due {
  readonly tenant: string;
  readonly priority: number;
}

/**
 * Returns every due job, oldest first, or null where there are more than the limit. Jobs due later cost nothing here.
 */
async function allDue(trx: Trx, { queue, now, readAllLimit: allAtOnce = READ_ALL_LIMIT }: FairShareRequest) {
  const due = trx
    .selectFrom('jobs')
    .where('queue', '=', queue)
    .where('state', '=', 'waiting')
    .where('run_at', '<=', now)
    .orderBy('run_at');
  const more = await due.select('run_at').limit(1).offset(allAtOnce).executeTakeFirst();
  return more ? null : await due.select(['tenant', 'priority']).execute();
}

function sortedRoundRobin(due: readonly Due[], last: string | undefined): readonly string[] {
  const first = due[0]?.tenant ?? '';
  const begins = (tenant: string) => (last === undefined ? tenant >= first : tenant > last);
  const names = [...new Set(due.map(({ tenant }) => tenant))].sort();
  return [...names.filter(begins), ...names.filter((tenant) => !begins(tenant))];
}

/**
 * Returns the due tenants below their bound in round-robin order, only as many as the decision needs. Each of as many
 * idle groups as there are slots gets one job before any group gets two.
 */
async function findDueTenants(
  trx: Trx,
  dialect: Dialect,
  request: FairShareRequest,
  { priority, slots }: { priority: number; slots: number },
): Promise<readonly TenantCandidate[]> {
  const running = await readRunningCounts(trx, request.queue);
  const candidates = new TenantCandidates(running, request, slots);
  const expected = slots + running.size + 1;
  const isFull = (tenant: string) => candidates.isFull(tenant);
  let hops = 0;
  for await (const head of tenantsRoundRobin(trx, dialect, request, { priority, expected, isFull })) {
    if (head.run_at <= request.now) candidates.add(head.tenant);
    hops += 1;
    if (candidates.idle === slots) break;
    if (hops < MAX_TENANTS_VISITED) continue;
    if (candidates.found.length === 0) request.lastServed.set(priority, head.tenant);
    break;
  }
  return candidates.found;
}

export async function nextTenants(
  trx: Trx,
  dialect: Dialect,
  request: FairShareRequest,
  { after, slots }: WantedSlots,
): Promise<{ readonly priority: number; readonly candidates: readonly TenantCandidate[] } | null> {
  const due = await allDue(trx, request);
  if (!due) {
    const priority = await nextPriority(trx, request.queue, after);
    if (priority === null) return null;
    return { priority, candidates: await findDueTenants(trx, dialect, request, { priority, slots }) };
  }
  const left = due.filter((one) => after === null || one.priority > after);
  if (left.length === 0) return null;
  const priority = Math.min(...left.map((one) => one.priority));
  const ofPriority = left.filter((one) => one.priority === priority);
  const candidates = new TenantCandidates(await readRunningCounts(trx, request.queue), request, slots);
  for (const tenant of sortedRoundRobin(ofPriority, request.lastServed.get(priority))) candidates.add(tenant);
  return { priority, candidates: candidates.found };
}

/**
 * Grants slots one by one: to the group with the fewest running jobs, then to its tenant with the fewest, then by
 * round robin. Returns the tenants in the order in which each was first served.
 */
export function shareSlots(
  candidates: readonly TenantCandidate[],
  slots: number,
  { perTenant, perGroup }: FairShareRequest,
): readonly TenantCandidate[] {
  const served = new Set<TenantCandidate>();
  const has = ({ running, granted }: TenantCandidate) => running + granted;
  const comesBefore = (one: TenantCandidate, other: TenantCandidate) =>
    one.group.running - other.group.running || has(one) - has(other);
  for (let slot = 0; slot < slots; slot += 1) {
    let best: TenantCandidate | undefined;
    for (const candidate of candidates) {
      if (has(candidate) >= perTenant || candidate.group.running >= perGroup) continue;
      if (!best || comesBefore(candidate, best) < 0) best = candidate;
    }
    if (!best) break;
    best.granted += 1;
    best.group.running += 1;
    served.add(best);
  }
  return [...served];
}
