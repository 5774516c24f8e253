import type { RetentionDays } from '../access/index.ts';
import { record, SYSTEM } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { acrossBorders, type Blobs, type Storage } from '../storage/index.ts';
import { BLOB_AREA, takeKey } from './blobs.ts';

const DAY_MS = 24 * 3600 * 1000;
const AT_ONCE = 200;

export interface CastSweepDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly retention: (orgId: string) => Promise<RetentionDays>;
}

type Counts = Record<string, number>;

/** Removes the sound of renders and of lines once it has been kept long enough, and the records of renders once transcripts
 * are. Projects stay: they are the customer's own work. */
export async function sweepCasts(deps: CastSweepDeps): Promise<void> {
  const db = acrossBorders(deps.storage.db);
  const orgs = await db.selectFrom('cast_renders').select('org_id').distinct().execute();
  for (const { org_id: org } of orgs) {
    const days = await deps.retention(org);
    const counts: Counts = {};
    await sweepAudio(deps, org, deps.clock.now() - days.jobAudio * DAY_MS, counts);
    await sweepTakes(deps, org, deps.clock.now() - days.jobAudio * DAY_MS, counts);
    await sweepRecords(deps, org, deps.clock.now() - days.transcript * DAY_MS, counts);
    if (Object.keys(counts).length === 0) continue;
    const deed = {
      orgId: org,
      by: SYSTEM,
      action: 'retention.swept',
      target: org,
      before: null,
      after: counts,
    };
    await deps.storage.transaction((trx) => record(trx, deps.clock.now(), deed));
  }
}

const ENDED = ['completed', 'failed', 'cancelled'] as const;

function endedRenders({ storage }: CastSweepDeps, org: string, before: number) {
  return acrossBorders(storage.db)
    .selectFrom('cast_renders')
    .select('id')
    .where('org_id', '=', org)
    .where('status', 'in', ENDED)
    .where('completed_at', '<=', before)
    .where('id', 'not in', (held) => held.selectFrom('legal_holds').select('record'))
    .orderBy('completed_at')
    .limit(AT_ONCE);
}

async function sweepAudio(deps: CastSweepDeps, org: string, before: number, counts: Counts): Promise<void> {
  for (;;) {
    const rows = await endedRenders(deps, org, before).where('audio_removed_at', 'is', null).execute();
    for (const { id } of rows) {
      await deps.blobs.deleteOwner(BLOB_AREA, id);
      await acrossBorders(deps.storage.db)
        .updateTable('cast_renders')
        .set({ audio_removed_at: deps.clock.now() })
        .where('id', '=', id)
        .execute();
    }
    add(counts, 'cast_audio', rows.length);
    if (rows.length < AT_ONCE) return;
  }
}

async function sweepTakes(deps: CastSweepDeps, org: string, before: number, counts: Counts): Promise<void> {
  const db = acrossBorders(deps.storage.db);
  for (;;) {
    const rows = await db
      .selectFrom('cast_takes')
      .select(['cast_id', 'take'])
      .where('org_id', '=', org)
      .where('used_at', '<=', before)
      .where('cast_id', 'not in', (held) => held.selectFrom('legal_holds').select('record'))
      .limit(AT_ONCE)
      .execute();
    for (const { cast_id, take } of rows) {
      await db.deleteFrom('cast_takes').where('cast_id', '=', cast_id).where('take', '=', take).execute();
      await deps.blobs.delete(takeKey(cast_id, take));
    }
    add(counts, 'cast_takes', rows.length);
    if (rows.length < AT_ONCE) return;
  }
}

async function sweepRecords(deps: CastSweepDeps, org: string, before: number, counts: Counts): Promise<void> {
  for (;;) {
    const rows = await endedRenders(deps, org, before).execute();
    for (const { id } of rows) {
      await deps.blobs.deleteOwner(BLOB_AREA, id);
      await acrossBorders(deps.storage.db).deleteFrom('cast_renders').where('id', '=', id).execute();
    }
    add(counts, 'cast_renders', rows.length);
    if (rows.length < AT_ONCE) return;
  }
}

function add(counts: Counts, what: string, removed: number): void {
  if (removed > 0) counts[what] = (counts[what] ?? 0) + removed;
}
