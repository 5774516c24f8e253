// @requirement Dub: Dubs follow retention and erasure, and are isolated between tenants.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DEFAULT_RETENTION } from '../../../src/foundation/access/index.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { acrossTenants, openBlobs, withinTenant } from '../../../src/foundation/storage/index.ts';
import { DubJobs } from '../../../src/products/dub/dub-jobs.ts';
import { dubPersonalData } from '../../../src/products/dub/index.ts';
import { BLOB_AREA, fileKey, sourceKey } from '../../../src/products/dub/keys-and-queues.ts';
import { dubSweep } from '../../../src/products/dub/retention.ts';
import { SEEDS } from '../../contract/seeds.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';

const DAY_MS = 24 * 3600 * 1000;
const HERE = scopeFor('org_a');
const ELSEWHERE = [
  scopeFor('org_b'),
  scopeFor('org_a', { projectId: 'proj_2' }),
  scopeFor('org_a', { environment: 'sandbox' }),
];
const ALL = ['output-r1', 'segment-0-r1', 'source'];
const noHolds = { among: async () => new Set<string>() };

onBothDatabases('what is kept of dubs', ({ open, after }) => {
  async function setup() {
    const storage = await open();
    const folder = await mkdtemp(join(tmpdir(), 'dubs-kept-'));
    after(() => rm(folder, { recursive: true, force: true }));
    const blobs = await openBlobs({ folder });
    const clock = new ManualClock(Date.now());
    const jobs = new DubJobs({
      storage,
      blobs,
      clock,
      queue: new JobQueue(storage, clock),
      billing: createBilling({ storage, clock, background: new BackgroundTasks({ clock }) }),
    });
    const place = async (scope = HERE, status = 'done') => {
      const ended = { status, audio_removed_at: null, ...(status === 'done' ? {} : { completed_at: null }) };
      const row = { ...SEEDS.dub_jobs('ann', clock.now()), output: '{}', ...ended };
      await withinTenant(storage.db, scope)
        .insertInto('dub_jobs', row as never)
        .execute();
      const segment = { ...SEEDS.dub_segments('ann', clock.now()), job_id: row.id };
      await withinTenant(storage.db, scope)
        .insertInto('dub_segments', segment as never)
        .execute();
      await acrossTenants(storage.db)
        .insertInto('dub_stretches')
        .values({ job_id: row.id, sequence: 0, end_ms: 1, document: 'ann' })
        .execute();
      for (const key of [sourceKey(row.id), fileKey(row.id, 'segment-0-r1'), fileKey(row.id, 'output-r1')])
        await blobs.put(key, [Buffer.from('sound')] as never, { payer: null });
      return row.id;
    };
    const files = async (id: string) => (await blobs.list(BLOB_AREA, id)).map(({ name }) => name).sort();
    const rows = async () => {
      const found = await Promise.all([
        acrossTenants(storage.db).selectFrom('dub_jobs').select('id').execute(),
        acrossTenants(storage.db).selectFrom('dub_segments').select('job_id as id').execute(),
        acrossTenants(storage.db).selectFrom('dub_stretches').select('job_id as id').execute(),
      ]);
      return found.map((ids) => ids.map(({ id }) => id).sort());
    };
    const afterDays = async (days: number) => {
      clock.advance(days * DAY_MS);
      await dubSweep({
        storage,
        blobs,
        clock,
        background: new BackgroundTasks({ clock }),
        retention: async () => DEFAULT_RETENTION,
      }).sweep();
    };
    return { storage, blobs, jobs, place, files, rows, afterDays };
  }

  it('goes in its time: sounds first, texts later, and nothing of a dub that is still being made', async () => {
    const { storage, place, files, rows, afterDays } = await setup();
    const done = await place();
    const going = await place(HERE, 'synthesizing');
    await afterDays(6.9);
    expect(await files(done)).toEqual(ALL);
    await afterDays(0.2);
    expect(await files(done)).toEqual([]);
    const { output } = await acrossTenants(storage.db)
      .selectFrom('dub_jobs')
      .select('output')
      .where('id', '=', done)
      .executeTakeFirstOrThrow();
    expect(output).toBeNull();
    expect(await rows()).toEqual(Array(3).fill([done, going].sort()));
    await afterDays(358);
    expect(await rows()).toEqual(Array(3).fill([going]));
    expect(await files(going)).toEqual(ALL);
  });

  it('loses files that belong to no dub, when no request can still bring their record', async () => {
    const { blobs, place, files, afterDays } = await setup();
    const own = await place();
    const nobody = 'dub_00000000000000000000';
    await blobs.put(sourceKey(nobody), [Buffer.from('sound')] as never, { payer: null });
    await afterDays(0.02);
    expect(await files(nobody)).toEqual(['source']);
    await afterDays(0.1);
    expect(await files(nobody)).toEqual([]);
    expect(await files(own)).toEqual(ALL);
  });

  it('goes with its person, and nothing of another tenant goes', async () => {
    const { storage, blobs, jobs, place, files, rows } = await setup();
    const here = await place();
    const others: string[] = [];
    for (const scope of ELSEWHERE) others.push(await place(scope));
    const personalData = dubPersonalData(storage, blobs, jobs);
    const removed = await personalData.erase(HERE, { externalId: 'ann', until: Date.now() + 1 }, noHolds);
    expect(removed).toEqual({ counts: { dubs: 1, recordings: 3 }, records: [here], held: [] });
    expect(await files(here)).toEqual([]);
    expect(await rows()).toEqual(Array(3).fill([...others].sort()));
    for (const id of others) expect(await files(id)).toEqual(ALL);
  });
});
