import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DEFAULT_RETENTION } from '../../../src/foundation/access/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { acrossTenants, openBlobs } from '../../../src/foundation/storage/index.ts';
import { jobSweep } from '../../../src/speech/transcription/retention.ts';
import { audioKey } from '../../../src/speech/transcription/run/audio.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { jobRow } from './orders.ts';

const DAY_MS = 24 * 3600 * 1000;

onBothDatabases('what is kept of ended jobs', ({ open, after }) => {
  async function setup() {
    const storage = await open();
    const folder = await mkdtemp(join(tmpdir(), 'trunkline-sweep-'));
    after(() => rm(folder, { recursive: true, force: true }));
    const blobs = await openBlobs({ folder });
    const clock = new ManualClock(Date.now());
    const retention = async (orgId: string) =>
      orgId === 'org_short' ? { ...DEFAULT_RETENTION, jobAudio: 3, transcript: 2 } : DEFAULT_RETENTION;
    const place = async (id: string, orgId: string, status: 'completed' | 'queued') => {
      const ended = status === 'completed' ? clock.now() : null;
      await acrossTenants(storage.db)
        .insertInto('transcription_jobs')
        .values({ ...jobRow(id, orgId), status, completed_at: ended })
        .execute();
      await blobs.put(audioKey(id), [Buffer.from('sound')] as never, { payer: null });
    };
    const left = async () => {
      const rows = await acrossTenants(storage.db)
        .selectFrom('transcription_jobs')
        .select('id')
        .orderBy('id')
        .execute();
      const audio: string[] = [];
      for await (const id of blobs.owners('jobs')) audio.push(id);
      return { jobs: rows.map(({ id }) => id), audio: audio.sort() };
    };
    const afterDays = async (days: number) => {
      clock.advance(days * DAY_MS);
      await jobSweep({
        storage,
        blobs,
        clock,
        background: new BackgroundTasks({ clock }),
        retention,
      }).sweep();
      return await left();
    };
    return { place, afterDays };
  }

  it('goes when each organization’s time is over, and nothing of a job that has not ended', async () => {
    const { place, afterDays } = await setup();
    await place('job_a', 'org_usual', 'completed');
    await place('job_b', 'org_short', 'completed');
    await place('job_c', 'org_short', 'queued');
    const all = ['job_a', 'job_b', 'job_c'];
    expect(await afterDays(1.9)).toEqual({ jobs: all, audio: all });
    expect(await afterDays(0.2)).toEqual({ jobs: ['job_a', 'job_c'], audio: ['job_a', 'job_c'] });
    expect(await afterDays(4.8)).toEqual({ jobs: ['job_a', 'job_c'], audio: ['job_a', 'job_c'] });
    expect(await afterDays(0.2)).toEqual({ jobs: ['job_a', 'job_c'], audio: ['job_c'] });
    expect(await afterDays(357)).toEqual({ jobs: ['job_a', 'job_c'], audio: ['job_c'] });
    expect(await afterDays(2)).toEqual({ jobs: ['job_c'], audio: ['job_c'] });
  });
});
