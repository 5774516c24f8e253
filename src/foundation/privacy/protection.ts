import type { Kysely } from 'kysely';
import type { Reach } from '../access/contract.ts';
import { ApiError } from '../platform/errors.ts';
import { type Tables, within } from '../storage/index.ts';

/** Throws where the record is under a legal hold: whoever removes one on request asks here first. */
export async function mustNotBeHeld(db: Kysely<Tables>, reach: Reach, record: string): Promise<void> {
  const hold = await within(db, reach)
    .selectFrom('legal_holds')
    .select('record')
    .where('record', '=', record)
    .executeTakeFirst();
  if (hold === undefined) return;
  throw new ApiError('legal_hold', 'The record is under a legal hold: release it first.');
}
