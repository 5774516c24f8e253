import { join } from 'node:path';
import { IdempotencyStore } from '../../../src/edge/server/index.ts';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { type Clock, systemClock } from '../../../src/foundation/platform/clock.ts';
import { UrlGate } from '../../../src/foundation/platform/url-gate/index.ts';
import { openBlobs, type Storage } from '../../../src/foundation/storage/index.ts';
import { Webhooks } from '../../../src/foundation/webhooks/index.ts';
import { TranscriptionService } from '../../../src/speech/transcription/index.ts';
import { confirmsAll } from '../../edge/server/fixtures/admission.ts';
import { WEBHOOK_SEALER } from '../../foundation/webhooks/sealer.ts';
import { decoderFor } from './decoder.ts';
import { lineOf, type Order, type Outside, principal, submissionOf } from './orders.ts';
import { ScriptRecognizer, ScriptVoices } from './signal-audio.ts';

/** A node's clock runs this much faster than the test's: retry delays and lost leases pass. */
const SPEED = 20;

export interface NodeSetting {
  readonly folder: string;
  readonly outside: Outside;
  readonly aheadMs: number;
  readonly orders: readonly Order[];
}

function fastClock(aheadMs: number): Clock {
  const began = Date.now();
  return {
    now: () => began + aheadMs + (Date.now() - began) * SPEED,
    monotonic: () => performance.now() * SPEED,
    after: (ms, task) => systemClock.after(ms / SPEED, task),
  };
}

export async function workUntilDone(plain: Storage, watched: Storage, setting: NodeSetting): Promise<void> {
  const { folder, outside, orders } = setting;
  const storage = watched;
  const clock = fastClock(setting.aheadMs);
  const blobs = await openBlobs({ folder: join(folder, 'blobs') });
  const gate = new UrlGate({ allowLoopback: true });
  const queue = new JobQueue(storage, clock);
  const webhooks = new Webhooks({
    sealer: WEBHOOK_SEALER,
    storage,
    queue,
    gate,
    clock,
    background: new BackgroundTasks({ clock }),
  });
  const billing = createBilling({ storage, clock, background: new BackgroundTasks({ clock }) });
  const transcription = new TranscriptionService({
    access: confirmsAll,
    storage,
    blobs,
    gate,
    billing,
    webhooks,
    clock,
    background: new BackgroundTasks({ clock }),
    queue,
    decoder: decoderFor(folder),
    recognizer: new ScriptRecognizer(lineOf),
    voices: new ScriptVoices(lineOf),
    spoolFolder: join(folder, 'spool'),
    concurrency: 2,
  });
  const { jobs } = transcription;
  const answers = new IdempotencyStore(storage, clock);
  for (const order of orders) {
    const asked = {
      tenantScope: tenantScopeOf(principal),
      route: 'jobs',
      key: order.key,
      bodyHash: order.key,
    };
    await answers.runOnce(asked, (keep) =>
      jobs.submit({ ...submissionOf(order, jobs.newId(), outside), keep }),
    );
  }
  webhooks.start();
  await transcription.start();
  const left = () => plain.db.selectFrom('jobs').select('id').where('state', '<>', 'dead').limit(1).execute();
  while ((await left()).length > 0) {
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  await transcription.stop(0);
  await webhooks.stop(0);
  await gate.close();
}
