import { randomInt } from 'node:crypto';
import type { JobRow } from '../storage/tables/jobs.ts';
import { type DeadJob, JOB_PRIORITY, type JobToEnqueue, LeaseLostError, type Trx } from './contract.ts';

const DEFAULT_ATTEMPTS = 5;
const FENCE_START = 2 ** 47;

export const wakeTopic = (queue: string): string => `jobs.wake.${queue}`;
export const cancelTopic = (queue: string): string => `jobs.cancel.${queue}`;

export const waitingRow = (job: JobToEnqueue, now: number): JobRow => ({
  id: job.id,
  queue: job.queue,
  tenant: job.tenant,
  priority: job.priority ?? JOB_PRIORITY.normal,
  state: 'waiting',
  payload: JSON.stringify(job.payload ?? null),
  attempts: 0,
  max_attempts: job.maxAttempts ?? DEFAULT_ATTEMPTS,
  losses: 0,
  run_at: job.runAt ?? now,
  // The fence starts at random, so that the holder of an earlier job with this id is refused.
  fence: randomInt(FENCE_START),
  worker: null,
  lease_until: null,
  cancel_requested: 0,
  progress: 0,
  last_error: null,
  created_at: now,
});

export const deadJobOf = (row: JobRow, reason: string, cause: unknown): DeadJob => ({
  id: row.id,
  tenant: row.tenant,
  payload: JSON.parse(row.payload),
  reason,
  cause,
});

export async function requireLease(transaction: Trx, id: string, fence: number): Promise<void> {
  const held = await transaction
    .updateTable('jobs')
    .set((eb) => ({ attempts: eb.ref('attempts') }))
    .where('id', '=', id)
    .where('fence', '=', fence)
    .where('state', '=', 'running')
    .where('cancel_requested', '=', 0)
    .returning('id')
    .executeTakeFirst();
  if (!held) throw new LeaseLostError(id);
}
