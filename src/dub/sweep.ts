import type { RetentionDays } from '../access/index.ts';
import { record, SYSTEM } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { acrossBorders, type Blobs, type Storage } from '../storage/index.ts';
import { BLOB_AREA } from './places.ts';

const DAY_MS = 24 * 3600 * 1000;
/** The longest that an upload takes from its first byte to its dub. */
const UNCLAIMED_MS = 3600 * 1000;
const AT_ONCE = 200;
const ENDED = ['done', 'error'] as const;

export interface DubSweepDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  /** How long an organization's data is kept. */
  readonly retention: (orgId: string) => Promise<RetentionDays>;
}

interface Kept {
  readonly id: string;
  readonly org_id: string;
}

/** Removes dubs, and before them their sounds, when they have been kept long enough; and files that belong to nothing. */
export async function sweepDubs(deps: DubSweepDeps): Promise<void> {
  const removed = new Map<string, Record<string, number>>();
  const count = (orgId: string, what: string) => {
    const counts = removed.get(orgId) ?? {};
    removed.set(orgId, { ...counts, [what]: (counts[what] ?? 0) + 1 });
  };
  for await (const { id, org_id } of endedFor(deps, 'jobAudio')) {
    await forgetSounds(deps, id);
    count(org_id, 'dub_audio');
  }
  for await (const { id, org_id } of endedFor(deps, 'transcript')) {
    await deps.blobs.deleteOwner(BLOB_AREA, id);
    await deps.storage.transaction(async (trx) => {
      await acrossBorders(trx).deleteFrom('dub_jobs').where('id', '=', id).execute();
      await trx.deleteFrom('jobs').where('id', '=', id).execute();
    });
    count(org_id, 'dubs');
  }
  await sweepOrphans(deps);
  await deps.storage.scrub();
  for (const [orgId, after] of removed) {
    const deed = { orgId, by: SYSTEM, action: 'retention.swept', target: orgId, before: null, after };
    await deps.storage.transaction((trx) => record(trx, deps.clock.now(), deed));
  }
}

async function forgetSounds({ storage, blobs, clock }: DubSweepDeps, id: string): Promise<void> {
  await blobs.deleteOwner(BLOB_AREA, id);
  await acrossBorders(storage.db)
    .updateTable('dub_jobs')
    .set({ audio_removed_at: clock.now(), output: null })
    .where('id', '=', id)
    .execute();
}

/** Dubs that have ended and that nobody holds, for `days` of their organization or longer. */
async function* endedFor(
  { storage, clock, retention }: DubSweepDeps,
  days: 'jobAudio' | 'transcript',
): AsyncGenerator<Kept> {
  for (let after = ''; ; ) {
    const rows = await acrossBorders(storage.db)
      .selectFrom('dub_jobs')
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

/** An upload whose request ended half-way, or a dub that was removed while its file was being fetched. */
async function sweepOrphans({ storage, blobs, clock }: DubSweepDeps): Promise<void> {
  for await (const id of blobs.owners(BLOB_AREA)) {
    const row = await acrossBorders(storage.db)
      .selectFrom('dub_jobs')
      .select('id')
      .where('id', '=', id)
      .executeTakeFirst();
    if (row) continue;
    const kept = await blobs.list(BLOB_AREA, id);
    if (kept.every(({ modifiedAt }) => clock.now() - modifiedAt > UNCLAIMED_MS))
      await blobs.deleteOwner(BLOB_AREA, id);
  }
}
