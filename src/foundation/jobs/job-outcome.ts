import { storageFaultOf } from '../platform/storage-fault.ts';
import type { Storage } from '../storage/index.ts';
import type { JobRow } from '../storage/tables/jobs.ts';
import { exponentialBackoff, waitAfterLoss } from './backoff.ts';
import { type JobDefinition, LeaseLostError, PermanentError, type Trx } from './contract.ts';
import { deadJobOf, requireLease } from './rows.ts';

const MAX_ERROR_LENGTH = 2000;
const DEFAULT_LOSSES = 20;
const STORE_WAIT_MS = 5_000;
const notRunning = { worker: null, lease_until: null } as const;

export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR_LENGTH);

async function die(
  trx: Trx,
  definition: JobDefinition,
  row: JobRow,
  reason: string,
  cause: unknown,
): Promise<void> {
  await trx
    .updateTable('jobs')
    .set({ ...notRunning, state: 'dead', last_error: reason })
    .where('id', '=', row.id)
    .execute();
  await definition.onDead?.(trx, deadJobOf(row, reason, cause));
}

/**
 * Schedules a retry or makes the job dead. A full or unavailable storage does not count as a failed attempt: the job
 * waits for it without limit.
 */
export async function settleFailure(
  storage: Storage,
  definition: JobDefinition,
  row: JobRow,
  error: unknown,
  now: number,
): Promise<void> {
  await ignoringLostLease(() =>
    storage.transaction(async (trx) => {
      await requireLease(trx, row.id, row.fence);
      const { attempts } = await trx
        .selectFrom('jobs')
        .select('attempts')
        .where('id', '=', row.id)
        .executeTakeFirstOrThrow();
      const reason = reasonOf(error);
      const blameless = !(error instanceof PermanentError) && storageFaultOf(error) !== null;
      if (!blameless && (error instanceof PermanentError || attempts >= row.max_attempts)) {
        return await die(trx, definition, row, reason, error);
      }
      const backoff = (definition.backoffMs ?? exponentialBackoff)(attempts);
      const wait = blameless ? Math.max(backoff, STORE_WAIT_MS) : backoff;
      await trx
        .updateTable('jobs')
        .set({
          ...notRunning,
          state: 'waiting',
          attempts: blameless ? attempts - 1 : attempts,
          run_at: Math.round(now + wait),
          last_error: reason,
        })
        .where('id', '=', row.id)
        .execute();
    }),
  );
}

export async function release(storage: Storage, row: JobRow): Promise<void> {
  await ignoringLostLease(() =>
    storage.transaction(async (trx) => {
      await requireLease(trx, row.id, row.fence);
      await trx
        .updateTable('jobs')
        .set((eb) => ({ ...notRunning, state: 'waiting', attempts: eb('attempts', '-', 1) }))
        .where('id', '=', row.id)
        .execute();
    }),
  );
}

export async function removeCancelled(storage: Storage, row: JobRow): Promise<void> {
  await storage.transaction(async (trx) => {
    await trx
      .deleteFrom('jobs')
      .where('id', '=', row.id)
      .where('fence', '=', row.fence)
      .where('cancel_requested', '=', 1)
      .execute();
  });
}

export interface Recovery {
  readonly now: number;
  readonly isAlive: (row: JobRow) => boolean;
  readonly onError: (error: Error) => void;
}

/** Returns jobs of lost workers to the queue, or makes them dead after too many losses without progress. */
export async function recoverExpired(
  storage: Storage,
  definition: JobDefinition,
  { now, isAlive, onError }: Recovery,
): Promise<void> {
  const expired = await storage.db
    .selectFrom('jobs')
    .selectAll()
    .where('queue', '=', definition.queue)
    .where('lease_until', '<', now)
    .limit(100)
    .execute();
  for (const row of expired) {
    if (isAlive(row)) continue;
    try {
      await recoverOne(storage, definition, row, now);
    } catch (error) {
      // A failing hook must not block other jobs; it is retried after another lease.
      onError(error as Error);
      await storage.db
        .updateTable('jobs')
        .set({ lease_until: now + definition.leaseMs })
        .where('id', '=', row.id)
        .where('fence', '=', row.fence)
        .where('state', '=', 'running')
        .execute();
    }
  }
}

async function recoverOne(
  storage: Storage,
  definition: JobDefinition,
  row: JobRow,
  now: number,
): Promise<void> {
  const losses = row.losses + 1;
  const wait = (definition.lossWaitMs ?? waitAfterLoss)(losses);
  await storage.transaction(async (trx) => {
    const lost = await trx
      .updateTable('jobs')
      .set((eb) => ({
        ...notRunning,
        state: 'waiting',
        run_at: Math.round(now + wait),
        fence: eb('fence', '+', 1),
        attempts: eb('attempts', '-', 1),
        losses,
      }))
      .where('id', '=', row.id)
      .where('fence', '=', row.fence)
      .where('state', '=', 'running')
      .where('lease_until', '<', now)
      .returningAll()
      .executeTakeFirst();
    if (!lost) return;
    if (lost.cancel_requested === 1) {
      await trx.deleteFrom('jobs').where('id', '=', row.id).execute();
    } else if (losses >= (definition.maxLosses ?? DEFAULT_LOSSES)) {
      await die(
        trx,
        definition,
        lost,
        'Every attempt ended because its worker stopped before finishing the job.',
        null,
      );
    }
  });
}

async function ignoringLostLease(task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error;
  }
}
