import { type Kysely, sql } from 'kysely';
import type { Dialect, Tables } from '../storage/index.ts';
import type { JobRow } from '../storage/tables/jobs.ts';
import type { Trx } from './contract.ts';
import { type FairShareRequest, nextTenants, shareSlots } from './fair-share.ts';

export interface ClaimRequest extends FairShareRequest {
  readonly worker: string;
  readonly limit: number;
  readonly leaseMs: number;
}

async function claimForTenant(
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

/**
 * Nodes claim one after another where a tenant's running jobs are bounded: two concurrent claims would both see the
 * last free slot. SQLite has one writer anyway.
 */
async function lockClaims(trx: Trx, dialect: Dialect, request: ClaimRequest): Promise<void> {
  const bounded = Number.isFinite(request.perTenant) || Number.isFinite(request.perGroup);
  if (dialect !== 'postgres' || !bounded) return;
  await sql`select pg_advisory_xact_lock(hashtextextended(${`jobs.claim.${request.queue}`}, 0))`.execute(trx);
}

export async function claimJobs(trx: Trx, dialect: Dialect, request: ClaimRequest): Promise<JobRow[]> {
  const claimed: JobRow[] = [];
  await lockClaims(trx, dialect, request);
  let done: number | null = null;
  while (claimed.length < request.limit) {
    const slots = request.limit - claimed.length;
    const next = await nextTenants(trx, dialect, request, { after: done, slots });
    if (!next) break;
    const before = claimed.length;
    for (const { tenant, granted } of shareSlots(next.candidates, slots, request)) {
      claimed.push(...(await claimForTenant(trx, dialect, request, next.priority, tenant, granted)));
      request.lastServed.set(next.priority, tenant);
    }
    // A tenant may have fewer jobs than slots granted; the rest is granted again. Where nothing was found, another
    // claim is taking it.
    if (claimed.length === before) done = next.priority;
  }
  return claimed;
}

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
