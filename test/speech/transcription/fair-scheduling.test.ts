import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { PermanentError } from '../../../src/foundation/jobs/index.ts';
import { acrossTenants } from '../../../src/foundation/storage/index.ts';
import { audioKey } from '../../../src/speech/transcription/run/audio.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { wavOf } from './signal-audio.ts';
import { stage } from './stage.ts';

const FIRST = 'org_00000000000000000000';
const OTHER = 'org_22222222222222222222';

onBothDatabases('one organization’s transcriptions', ({ open, after }) => {
  it('wait for a server that never ends without holding up anyone else’s', async () => {
    const s = await stage({ storage: await open(), after, concurrency: 1 });
    let asked = 0;
    const endless = createServer((_request, response) => {
      asked += 1;
      response.writeHead(200, { 'content-type': 'audio/wav' }).write('x');
    });
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
    after(() => {
      endless.closeAllConnections();
      endless.close();
    });
    const url = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`;
    for (let n = 0; n < 20; n += 1) await s.submitted(await s.post({ audio_url: `${url}/${n}.wav` }));
    s.access.orgId = OTHER;
    const uploaded = await s.submitted(await s.upload(wavOf(1)));
    expect(await s.ended(uploaded.id)).toMatchObject({ status: 'completed' });
    const fetched = await s.submitted(await s.post({ audio_url: await s.serve(wavOf(1)) }));
    expect(await s.ended(fetched.id)).toMatchObject({ status: 'completed' });
    expect(asked).toBe(4);
  });

  it('give a hand to another one that waits, and go on from where they were', async () => {
    const LINES = 30;
    // A sandbox key's jobs get half of the slots.
    const s = await stage({ storage: await open(), after, concurrency: 4 });
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    s.recognizer.before = () => begun;
    const long = [1, 2].map(async () => (await s.submitted(await s.upload(wavOf(LINES)))).id);
    const ids = await Promise.all(long);
    while (s.recognizer.asked.length < 2) await new Promise((resolve) => setImmediate(resolve));
    s.access.orgId = OTHER;
    const short = await s.submitted(await s.upload(wavOf(1)));
    begin();
    const done = await s.ended(short.id);
    s.access.orgId = FIRST;
    const ended = await Promise.all(ids.map((id) => s.ended(id)));
    expect(ended.some(({ completed_at }) => completed_at! > done.completed_at!)).toBe(true);
    for (const { text } of ended)
      expect(text).toBe(Array.from({ length: LINES }, (_, line) => `line ${line}`).join(' '));
    expect(s.recognizer.asked.some(({ from }) => from > 0)).toBe(true);
  });
});

onBothDatabases('a job that is brought back after its audio was removed', ({ open, after }) => {
  it('has it fetched again, to be removed again', async () => {
    const storage = await open();
    const s = await stage({ storage, after });
    s.recognizer.before = () => {
      throw new PermanentError('The disk is full.');
    };
    const job = await s.submitted(await s.post({ audio_url: await s.serve(wavOf(1)) }));
    expect(await s.ended(job.id)).toMatchObject({ status: 'failed' });
    await s.blobs.deleteOwner('jobs', job.id);
    await acrossTenants(storage.db)
      .updateTable('transcription_jobs')
      .set({ audio_removed_at: Date.now() })
      .execute();
    s.recognizer.before = () => {};
    expect(await s.queue.retry(job.id)).toBe(true);
    expect(await s.ended(job.id)).toMatchObject({ status: 'completed', text: 'line 0' });
    expect(await s.blobs.stat(audioKey(job.id))).not.toBeNull();
    const rows = await acrossTenants(storage.db)
      .selectFrom('transcription_jobs')
      .select('audio_removed_at')
      .execute();
    expect(rows).toEqual([{ audio_removed_at: null }]);
  });
});
