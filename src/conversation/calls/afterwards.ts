import type { Transaction } from 'kysely';
import type { Reach } from '../../foundation/access/contract.ts';
import { type Storage, type Tables, within } from '../../foundation/storage/index.ts';
import type { OmniCallRow } from '../../foundation/storage/tables/omni.ts';

const TOLD = ['id', 'session_label', 'external_id', 'agent_id', 'agent_version'] as const;
/** A call that is over, as its event names it. */
export type CallThatEnded = Pick<OmniCallRow, (typeof TOLD)[number]>;

/** What was made of it. */
export type Afterwards = Partial<
  Pick<OmniCallRow, 'summary' | 'summary_status' | 'outcome' | 'extraction' | 'extraction_status'>
>;

/** Null: it is forgotten. */
export async function callThatEnded(
  storage: Storage,
  reach: Reach,
  id: string,
): Promise<CallThatEnded | null> {
  const row = await within(storage.db, reach)
    .selectFrom('omni_calls')
    .select(TOLD)
    .where('id', '=', id)
    .where('status', '!=', 'live')
    .executeTakeFirst();
  return row ?? null;
}

/** Adds to the record what was made of the call. False: the call, or what was said in it, is no longer kept. */
export async function noteAfterwards(
  transaction: Transaction<Tables>,
  reach: Reach,
  id: string,
  made: Afterwards,
): Promise<boolean> {
  const { numUpdatedRows } = await within(transaction, reach)
    .updateTable('omni_calls')
    .set(made)
    .where('id', '=', id)
    .where('status', '!=', 'live')
    .where('transcript_removed_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
