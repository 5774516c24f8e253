import type { Kysely } from 'kysely';
import type { Trx } from '../../../foundation/jobs/index.ts';
import { acrossTenants, type Storage, type Tables } from '../../../foundation/storage/index.ts';
import type { DubJobRow } from '../../../foundation/storage/tables/dub.ts';
import {
  type SpeakerEmbedding,
  type StoredSpan,
  spanDocument,
  spanOf,
} from '../../../speech/transcription/index.ts';

/** Returns null where the dub was removed or has ended. */
export const beginDub = (storage: Storage, id: string, now: number): Promise<DubJobRow | null> =>
  storage.transaction(async (trx) => {
    const row = await acrossTenants(trx)
      .updateTable('dub_jobs')
      .set((eb) => ({ started_at: eb.fn.coalesce('started_at', eb.val(now)) }))
      .where('id', '=', id)
      .where('status', 'not in', ['done', 'error'])
      .returningAll()
      .executeTakeFirst();
    return row ?? null;
  });

/** Runs in the transaction that gives the job up. */
export async function endInError(
  trx: Trx,
  id: string,
  { message, code, now }: { message: string; code: string; now: number },
): Promise<DubJobRow | null> {
  const row = await acrossTenants(trx)
    .updateTable('dub_jobs')
    .set({ status: 'error', error: message, error_code: code, completed_at: now })
    .where('id', '=', id)
    .where('status', '!=', 'done')
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Runs in the transaction that reopens a dead job. */
export async function reopen(trx: Trx, id: string): Promise<void> {
  await acrossTenants(trx)
    .updateTable('dub_jobs')
    .set({ status: 'queued', error: null, error_code: null, completed_at: null })
    .where('id', '=', id)
    .where('status', '=', 'error')
    .execute();
}

export async function storeDubSpan(
  trx: Trx,
  id: string,
  sequence: number,
  span: Parameters<typeof spanDocument>[0] & { readonly done: number },
  voices: readonly SpeakerEmbedding[],
): Promise<void> {
  await acrossTenants(trx)
    .insertInto('dub_stretches')
    .values({
      job_id: id,
      sequence,
      end_ms: Math.round(span.done * 1000),
      document: spanDocument(span, voices),
    })
    .execute();
}

export async function loadDubSpans(db: Kysely<Tables>, id: string): Promise<readonly StoredSpan[]> {
  const rows = await acrossTenants(db)
    .selectFrom('dub_stretches')
    .selectAll()
    .where('job_id', '=', id)
    .orderBy('sequence')
    .execute();
  return rows.map((row) => spanOf(row.document, 0, row.end_ms / 1000));
}

export async function deleteDubSpans(trx: Trx, id: string): Promise<void> {
  await acrossTenants(trx).deleteFrom('dub_stretches').where('job_id', '=', id).execute();
}
