import type { JobRow } from '../storage/tables/jobs.ts';
import { type DeadJob, LeaseLostError, type Trx } from './contract.ts';

export const wakeTopic = (queue: string): string => `jobs.wake.${queue}`;
export const cancelTopic = (queue: string): string => `jobs.cancel.${queue}`;

export const deadJobOf = (row: JobRow, reason: string, cause: unknown): DeadJob => ({
  id: row.id,
  tenant: row.tenant,
  payload: JSON.parse(row.payload),
  reason,
  cause,
});

/** The row of a running job, locked to the transaction and proven to be the caller's. */
export async function holdLease(transaction: Trx, id: string, fence: number): Promise<void> {
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
