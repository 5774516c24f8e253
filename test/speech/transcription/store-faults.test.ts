import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStorage, type Storage } from '../../../src/foundation/storage/index.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { itWhere } from '../../long-tests.ts';
import { until } from '../../poll.ts';
import { fleet } from './fleet.ts';
import { workUntilDone } from './node.ts';
import { wavOf } from './signal-audio.ts';
import { stage } from './stage.ts';

const someJob = async (storage: Storage, state: 'waiting' | 'running', failed: boolean): Promise<boolean> =>
  (await storage.db.selectFrom('jobs').select(['state', 'last_error', 'queue']).execute()).some(
    (job) =>
      job.queue.startsWith('transcription') && job.state === state && (job.last_error !== null) === failed,
  );

onBothDatabases('jobs whose store fails', ({ dialect, empty, after }) => {
  it('wait for blobs that are gone for a while, and end', async () => {
    const { options } = await empty();
    const storage = await openStorage(options);
    after(() => storage.close());
    const { order, setting, check } = await fleet(storage, after);
    for (let n = 0; n < 3; n += 1) order('url', 2);
    const given = await setting();
    const blobs = join(given.folder, 'blobs');
    const working = workUntilDone(storage, storage, given);
    await until(() => someJob(storage, 'running', false));
    renameSync(blobs, `${blobs}.gone`);
    writeFileSync(blobs, 'no folder');
    await until(() => someJob(storage, 'waiting', true));
    rmSync(blobs);
    renameSync(`${blobs}.gone`, blobs);
    await working;
    expect(await check()).toMatchObject({ givenUp: 0 });
  }, 120_000);

  itWhere(dialect === 'sqlite')(
    'keep nothing personal in any byte of the database, its log or the blobs',
    async () => {
      const { options } = await empty();
      const folder = options.dataDir as string;
      const storage = await openStorage(options);
      after(() => storage.close());
      const said = [
        'mail me at jane.doe@example.com',
        'card 4111 1111 1111 1111',
        'social 123 for 56789 okay',
      ];
      const { upload, submitted, ended, receiver, hook } = await stage({
        storage,
        after,
        script: (line) => ({ text: said[line % 3] as string }),
      });
      const fields = { trace: 'true', webhook_url: hook, output_formats: '["json","text","srt","vtt"]' };
      const done = await ended((await submitted(await upload(wavOf(18), fields))).id);
      expect(done.trace).toEqual({ verdict: 'pii_found', pii_count: 18 });
      await receiver.count(1);
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
        join(folder, name),
      );
      const bytes = files
        .filter((file) => statSync(file).isFile())
        .map((file) => readFileSync(file, 'latin1'));
      expect(files.some((file) => file.endsWith('-wal'))).toBe(true);
      for (const text of [...bytes, JSON.stringify(done), ...receiver.received.map(({ body }) => body)]) {
        expect(text).not.toMatch(/jane|1111|56789/);
      }
    },
  );
});
