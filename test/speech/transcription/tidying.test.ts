import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { UrlGate } from '../../../src/foundation/platform/url-gate/index.ts';
import { openBlobs, openStorage } from '../../../src/foundation/storage/index.ts';
import { TranscriptionService } from '../../../src/speech/transcription/index.ts';
import { confirmsAll } from '../../edge/server/fixtures/admission.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { CheckedWebhooks } from '../../foundation/webhooks/checked.ts';
import { dataFolder } from '../../running-server.ts';
import { decoderFor } from './decoder.ts';
import { ScriptRecognizer, ScriptVoices } from './signal-audio.ts';

const script = () => ({ text: 'a line' });

onBothDatabases('a server that runs on', ({ empty, after }) => {
  it('removes what a killed process left of recordings, without a start', async () => {
    const clock = new ManualClock(Date.now());
    const storage = await openStorage((await empty()).options);
    after(() => storage.close());
    const folder = dataFolder();
    const [spool, unfinished] = [join(folder, 'spool'), join(folder, 'blobs', '.unfinished')];
    const gate = new UrlGate({ allowLoopback: true });
    after(() => gate.close());
    const queue = new JobQueue(storage, clock);
    const service = new TranscriptionService({
      access: confirmsAll,
      storage,
      blobs: await openBlobs({ folder: join(folder, 'blobs') }),
      gate,
      billing: createBilling({ storage, clock, background: new BackgroundTasks({ clock }) }),
      webhooks: new CheckedWebhooks({
        storage,
        queue,
        gate,
        clock,
        background: new BackgroundTasks({ clock }),
      }),
      clock,
      background: new BackgroundTasks({ clock }),
      queue,
      decoder: decoderFor(folder),
      recognizer: new ScriptRecognizer(script),
      voices: new ScriptVoices(script),
      spoolFolder: spool,
      concurrency: 1,
    });
    await service.start();
    after(() => service.stop(0));
    await mkdir(join(spool, 'job'));
    for (const path of [join(spool, 'named'), join(spool, 'job', 'inner'), join(unfinished, 'left')])
      await writeFile(path, 'sound');
    await writeFile(join(unfinished, 'running'), 'sound');
    await utimes(join(unfinished, 'left'), 1, 1);
    const left = async () => [await readdir(spool), await readdir(unfinished)];
    clock.advance(4 * 60_000);
    expect((await left()).map(({ length }) => length)).toEqual([2, 2]);
    clock.advance(60_000);
    await expect.poll(left).toEqual([[], ['running']]);
  });
});
