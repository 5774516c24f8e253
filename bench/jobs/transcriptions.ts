import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBilling } from '../../src/billing/index.ts';
import { AudioDecoder, findFfmpeg } from '../../src/codec/index.ts';
import { JobQueue } from '../../src/jobs/index.ts';
import { openEngine } from '../../src/main/engine.ts';
import { engineRecognizer, engineVoices } from '../../src/main/transcription.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { loadConfig } from '../../src/platform/config/index.ts';
import { createLog } from '../../src/platform/log.ts';
import { Models } from '../../src/platform/models/index.ts';
import { UrlGate } from '../../src/platform/url-gate/index.ts';
import { openBlobs } from '../../src/storage/index.ts';
import { createJobsSurface } from '../../src/surfaces/jobs/index.ts';
import { TranscriptionJobs } from '../../src/surfaces/jobs/service.ts';
import { Webhooks } from '../../src/webhooks/index.ts';
import type { Report } from '../harness/index.ts';
import { sqlitePlace } from './place.ts';

const principal = {
  orgId: 'org_bench',
  projectId: 'proj_bench',
  keyId: null,
  environment: 'sandbox',
  limits: { jobUpload: { bytes: 1e9, seconds: 14_400 } },
} as never;
const request = {
  outputFormats: ['json'],
  vocabulary: [],
  summaryLanguage: null,
  entities: null,
  diarize: false,
  channel: false,
  numerals: 'digits',
} as const;

/** Whole jobs through the real decoder and engine: a recording of half a minute, by workers. */
export async function transcriptions(
  report: Report,
  recording: string,
  seconds: number,
  workers: readonly number[],
) {
  const config = loadConfig({});
  const engine = openEngine(config, new Models({ root: config.models }), createLog({ level: 'silent' }));
  await engine.prepared();
  try {
    for (const concurrency of workers) {
      const jobs = Math.max(2, concurrency * 2);
      const took = await runJobs(engine, recording, concurrency, jobs);
      const label = `${concurrency} ${concurrency === 1 ? 'worker' : 'workers'}`;
      report.figure({
        name: `jobs of ${seconds} s an hour, ${label}`,
        value: (jobs / took) * 3600,
        unit: '1/h',
      });
      report.figure({
        name: `real-time factor of all together, ${label}`,
        value: took / (jobs * seconds),
        unit: 's/s',
        goal: { atMost: 0.5 },
      });
    }
  } finally {
    engine.destroy();
  }
}

async function runJobs(
  engine: ReturnType<typeof openEngine>,
  recording: string,
  concurrency: number,
  count: number,
): Promise<number> {
  const place = sqlitePlace();
  const folder = mkdtempSync(join(tmpdir(), 'bench-jobs-audio-'));
  const storage = await place.open();
  const blobs = await openBlobs({ folder: join(folder, 'blobs') });
  const clock = systemClock;
  const queue = new JobQueue(storage, clock);
  const gate = new UrlGate({ allowLoopback: false });
  const ffmpeg = findFfmpeg(null, new Models())?.path ?? 'ffmpeg';
  const surface = createJobsSurface({
    storage,
    blobs,
    gate,
    billing: createBilling({ storage, clock }),
    webhooks: new Webhooks({ storage, queue, gate, clock }),
    clock,
    queue,
    decoder: new AudioDecoder({ ffmpeg, temporary: folder, atOnce: 4 }),
    recognizer: engineRecognizer(engine),
    voices: engineVoices(engine),
    spoolFolder: join(folder, 'spool'),
    concurrency,
  });
  const jobs = new TranscriptionJobs({ storage, blobs, queue, clock });
  const audio = readFileSync(recording);
  try {
    for (let n = 0; n < count; n += 1) {
      const id = jobs.newId();
      await blobs.put({ area: 'jobs', owner: id, name: 'audio' }, [audio] as never);
      await jobs.submit({ id, principal, request, audioUrl: null, webhookUrl: null, idempotency: null });
    }
    const began = performance.now();
    await surface.start?.();
    while ((await storage.db.selectFrom('jobs').select('id').limit(1).execute()).length > 0) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const took = (performance.now() - began) / 1000;
    const failed = await storage.db
      .selectFrom('transcription_jobs')
      .select('error')
      .where('status', '<>', 'completed')
      .execute();
    if (failed.length > 0) throw new Error(`a job failed: ${failed[0]?.error}`);
    await surface.stop?.(0);
    return took;
  } finally {
    await gate.close();
    await storage.close();
    await place.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}
