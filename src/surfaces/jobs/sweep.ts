import type { Clock } from '../../platform/clock.ts';
import type { Blobs, Storage } from '../../storage/index.ts';
import { BLOB_AREA } from './service.ts';
import { forgetAnswers } from './store.ts';

const DAY_MS = 24 * 3600 * 1000;
const AT_ONCE = 200;

export interface Retention {
  readonly audioMs: number;
  readonly transcriptMs: number;
}

export const DEFAULT_RETENTION: Retention = { audioMs: 7 * DAY_MS, transcriptMs: 365 * DAY_MS };

export interface SweepDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  /** What an organization set for itself. */
  readonly retention: (orgId: string) => Promise<Retention>;
}

const ENDED = ['completed', 'failed'] as const;

/** Removes what has been kept long enough, and bytes that belong to nothing. */
export async function sweep(deps: SweepDeps): Promise<void> {
  await sweepAudio(deps);
  await sweepTranscripts(deps);
  await sweepOrphans(deps);
  await deps.storage.transaction((trx) => forgetAnswers(trx, deps.clock.now()));
}

async function sweepAudio({ storage, blobs, clock, retention }: SweepDeps): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await storage.db
      .selectFrom('transcription_jobs')
      .select(['id', 'org_id', 'completed_at'])
      .where('status', 'in', ENDED)
      .where('audio_removed_at', 'is', null)
      .where('id', '>', after)
      .orderBy('id')
      .limit(AT_ONCE)
      .execute();
    for (const { id, org_id, completed_at } of rows) {
      if ((completed_at ?? 0) + (await retention(org_id)).audioMs > clock.now()) continue;
      await blobs.deleteOwner(BLOB_AREA, id);
      await storage.db
        .updateTable('transcription_jobs')
        .set({ audio_removed_at: clock.now() })
        .where('id', '=', id)
        .execute();
    }
    if (rows.length < AT_ONCE) return;
    after = rows.at(-1)?.id ?? '';
  }
}

async function sweepTranscripts({ storage, clock, retention }: SweepDeps): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await storage.db
      .selectFrom('transcription_jobs')
      .select(['id', 'org_id', 'completed_at'])
      .where('status', 'in', ENDED)
      .where('audio_removed_at', 'is not', null)
      .where('id', '>', after)
      .orderBy('id')
      .limit(AT_ONCE)
      .execute();
    for (const { id, org_id, completed_at } of rows) {
      if ((completed_at ?? 0) + (await retention(org_id)).transcriptMs > clock.now()) continue;
      await storage.transaction(async (trx) => {
        await trx.deleteFrom('transcription_jobs').where('id', '=', id).execute();
        await trx.deleteFrom('jobs').where('id', '=', id).execute();
      });
    }
    if (rows.length < AT_ONCE) return;
    after = rows.at(-1)?.id ?? '';
  }
}

/** An upload whose request ended half-way, or a job that was deleted while its audio was being fetched. */
async function sweepOrphans({ storage, blobs, clock }: SweepDeps): Promise<void> {
  for await (const id of blobs.owners(BLOB_AREA)) {
    const row = await storage.db
      .selectFrom('transcription_jobs')
      .select('id')
      .where('id', '=', id)
      .executeTakeFirst();
    if (row) continue;
    const kept = await blobs.list(BLOB_AREA, id);
    if (kept.every(({ modifiedAt }) => clock.now() - modifiedAt > DAY_MS))
      await blobs.deleteOwner(BLOB_AREA, id);
  }
}
