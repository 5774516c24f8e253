import type { RetentionDays } from '../../access/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Blobs, Storage } from '../../storage/index.ts';
import { BLOB_AREA } from './service.ts';
import { forgetAnswers } from './store.ts';

const DAY_MS = 24 * 3600 * 1000;
const AT_ONCE = 200;

export interface SweepDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  /** How long an organization's data is kept. */
  readonly retention: (orgId: string) => Promise<RetentionDays>;
}

const ENDED = ['completed', 'failed'] as const;

/** Removes what has been kept long enough, and bytes that belong to nothing. */
export async function sweep(given: SweepDeps): Promise<void> {
  const known = new Map<string, Promise<RetentionDays>>();
  const retention = (orgId: string): Promise<RetentionDays> => {
    const days = known.get(orgId) ?? given.retention(orgId);
    known.set(orgId, days);
    return days;
  };
  const deps = { ...given, retention };
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
      if ((completed_at ?? 0) + (await retention(org_id)).jobAudio * DAY_MS > clock.now()) continue;
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

async function sweepTranscripts({ storage, blobs, clock, retention }: SweepDeps): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await storage.db
      .selectFrom('transcription_jobs')
      .select(['id', 'org_id', 'completed_at'])
      .where('status', 'in', ENDED)
      .where('id', '>', after)
      .orderBy('id')
      .limit(AT_ONCE)
      .execute();
    for (const { id, org_id, completed_at } of rows) {
      if ((completed_at ?? 0) + (await retention(org_id)).transcript * DAY_MS > clock.now()) continue;
      // Where transcripts are kept for a shorter time than audio, the audio goes with them.
      await blobs.deleteOwner(BLOB_AREA, id);
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
