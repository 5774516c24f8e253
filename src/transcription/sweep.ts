import type { RetentionDays } from '../access/index.ts';
import { record, SYSTEM } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Blobs, Storage } from '../storage/index.ts';
import { acrossBorders } from '../storage/index.ts';
import { BLOB_AREA } from './service.ts';

const DAY_MS = 24 * 3600 * 1000;
/** The longest that an upload takes from its first byte to its job. */
const UNCLAIMED_MS = 3600 * 1000;
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
  const removed = new Report();
  const deps = { ...given, retention, removed };
  await sweepAudio(deps);
  await sweepTranscripts(deps);
  await sweepOrphans(deps);
  await deps.storage.scrub();
  await removed.tell(deps.storage, deps.clock.now());
}

interface Sweeping extends SweepDeps {
  readonly removed: Report;
}

/** What a sweep removed, which each organization finds in its audit log. */
class Report {
  readonly #counts = new Map<string, Record<string, number>>();

  add(orgId: string, what: string): void {
    const counts = this.#counts.get(orgId) ?? {};
    counts[what] = (counts[what] ?? 0) + 1;
    this.#counts.set(orgId, counts);
  }

  async tell(storage: Storage, now: number): Promise<void> {
    for (const [orgId, after] of this.#counts) {
      const deed = { orgId, by: SYSTEM, action: 'retention.swept', target: orgId, before: null, after };
      await storage.transaction((trx) => record(trx, now, deed));
    }
  }
}

/** Jobs that have ended and that nobody holds, for `days` of their organization or longer. */
async function* endedFor(
  { storage, clock, retention }: Sweeping,
  days: 'jobAudio' | 'transcript',
): AsyncGenerator<{ readonly id: string; readonly org_id: string }> {
  for (let after = ''; ; ) {
    const rows = await acrossBorders(storage.db)
      .selectFrom('transcription_jobs')
      .select(['id', 'org_id', 'completed_at'])
      .where('status', 'in', ENDED)
      .$if(days === 'jobAudio', (query) => query.where('audio_removed_at', 'is', null))
      .where('id', '>', after)
      .where('id', 'not in', (held) => held.selectFrom('legal_holds').select('record'))
      .orderBy('id')
      .limit(AT_ONCE)
      .execute();
    for (const row of rows) {
      if ((row.completed_at ?? 0) + (await retention(row.org_id))[days] * DAY_MS <= clock.now()) yield row;
    }
    if (rows.length < AT_ONCE) return;
    after = rows.at(-1)?.id ?? '';
  }
}

async function sweepAudio(sweeping: Sweeping): Promise<void> {
  const { storage, blobs, clock, removed } = sweeping;
  for await (const { id, org_id } of endedFor(sweeping, 'jobAudio')) {
    await blobs.deleteOwner(BLOB_AREA, id);
    await acrossBorders(storage.db)
      .updateTable('transcription_jobs')
      .set({ audio_removed_at: clock.now() })
      .where('id', '=', id)
      .execute();
    removed.add(org_id, 'job_audio');
  }
}

async function sweepTranscripts(sweeping: Sweeping): Promise<void> {
  const { storage, blobs, removed } = sweeping;
  for await (const { id, org_id } of endedFor(sweeping, 'transcript')) {
    // Where transcripts are kept for a shorter time than audio, the audio goes with them.
    await blobs.deleteOwner(BLOB_AREA, id);
    await storage.transaction(async (trx) => {
      await acrossBorders(trx).deleteFrom('transcription_jobs').where('id', '=', id).execute();
      await trx.deleteFrom('jobs').where('id', '=', id).execute();
    });
    removed.add(org_id, 'jobs');
  }
}

/** An upload whose request ended half-way, or a job that was deleted while its audio was being fetched. */
async function sweepOrphans({ storage, blobs, clock }: SweepDeps): Promise<void> {
  for await (const id of blobs.owners(BLOB_AREA)) {
    const row = await acrossBorders(storage.db)
      .selectFrom('transcription_jobs')
      .select('id')
      .where('id', '=', id)
      .executeTakeFirst();
    if (row) continue;
    const kept = await blobs.list(BLOB_AREA, id);
    if (kept.every(({ modifiedAt }) => clock.now() - modifiedAt > UNCLAIMED_MS))
      await blobs.deleteOwner(BLOB_AREA, id);
  }
}
