import { join } from 'node:path';
import { createBilling } from '../../../src/billing/index.ts';
import { JobQueue } from '../../../src/jobs/index.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { UrlGate } from '../../../src/platform/url-gate/index.ts';
import { openBlobs, openStorage, type StorageOptions } from '../../../src/storage/index.ts';
import { createJobsSurface } from '../../../src/surfaces/jobs/index.ts';
import { Webhooks } from '../../../src/webhooks/index.ts';
import { type CrashPoint, crashing } from '../../billing/crash-work.ts';
import { decoderFor } from './decoder.ts';
import { ScriptRecognizer, ScriptVoices } from './signal-audio.ts';

/** A node that works until nothing waits, or until it is killed: by itself at a commit, or from outside. */
export interface NodeInput {
  readonly storage: StorageOptions;
  readonly folder: string;
  /** How far its clock is ahead: a node that starts after a crash finds the leases run out. */
  readonly aheadMs: number;
  readonly crash: CrashPoint | null;
}

const input = JSON.parse(process.argv[2] as string) as NodeInput;
const plain = await openStorage(input.storage);
const storage = input.crash
  ? crashing(plain, input.crash, () => {
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => {});
    })
  : plain;
const clock = { ...systemClock, now: () => Date.now() + input.aheadMs };
const gate = new UrlGate({ allowLoopback: true });
const queue = new JobQueue(storage, clock);
const webhooks = new Webhooks({ storage, queue, gate, clock });
const script = (line: number) => ({ text: `line ${line}` });
const surface = createJobsSurface({
  storage,
  blobs: await openBlobs({ folder: join(input.folder, 'blobs') }),
  gate,
  billing: createBilling({ storage, clock }),
  webhooks,
  clock,
  queue,
  decoder: decoderFor(input.folder),
  recognizer: new ScriptRecognizer(script),
  voices: new ScriptVoices(script),
  spoolFolder: join(input.folder, 'spool'),
  concurrency: 2,
});
webhooks.start();
await surface.start?.();
while ((await plain.db.selectFrom('jobs').select('id').limit(1).execute()).length > 0) {
  await new Promise((resolve) => setTimeout(resolve, 5));
}
await surface.stop?.(0);
await webhooks.stop(0);
await gate.close();
await plain.close();
