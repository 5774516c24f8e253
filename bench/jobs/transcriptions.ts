import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sealer } from '../../src/foundation/access/index.ts';
import { createBilling } from '../../src/foundation/billing/index.ts';
import { JobQueue } from '../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../src/foundation/platform/clock.ts';
import { loadConfig } from '../../src/foundation/platform/config/index.ts';
import { createLog } from '../../src/foundation/platform/log.ts';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { UrlGate } from '../../src/foundation/platform/url-gate/index.ts';
import { acrossTenants, openBlobs, type Storage } from '../../src/foundation/storage/index.ts';
import { Webhooks } from '../../src/foundation/webhooks/index.ts';
import { openEngine } from '../../src/main/engine.ts';
import { AudioDecoder, findFfmpeg } from '../../src/media/codec/index.ts';
import type { Engine } from '../../src/media/engine/index.ts';
import {
  engineRecognizer,
  engineVoices,
  type JobRequest,
  PLAIN_REQUEST,
  TranscriptionService,
} from '../../src/speech/transcription/index.ts';
import type { Transcript } from '../../src/speech/transcription/transcript.ts';
import { sqliteBackend } from './storage-backends.ts';

const principal = {
  orgId: 'org_bench',
  projectId: 'proj_bench',
  keyId: null,
  environment: 'sandbox',
  limits: { jobUpload: { bytes: 1e9, seconds: 14_400 } },
} as never;
const JOBS = 6;

export interface Throughput {
  readonly workers: number;
  readonly jobs: number;
  readonly seconds: number;
}

export async function transcriptions(
  recording: string,
  workers: readonly number[],
): Promise<readonly Throughput[]> {
  const audio = readFileSync(recording);
  return await withEngine(async (engine) => {
    const measured: Throughput[] = [];
    for (const concurrency of workers) {
      const jobs = Math.max(JOBS, concurrency * 2);
      const files = Array.from({ length: jobs }, () => audio);
      const { seconds } = await runJobs(engine, files, {}, concurrency);
      measured.push({ workers: concurrency, jobs, seconds });
    }
    return measured;
  });
}

export const transcriptsOf = (
  files: readonly Buffer[],
  asked: Partial<JobRequest>,
): Promise<readonly Transcript[]> =>
  withEngine(async (engine) => (await runJobs(engine, files, asked, 1)).transcripts);

async function withEngine<Result>(use: (engine: Engine) => Promise<Result>): Promise<Result> {
  const config = loadConfig({});
  const engine = openEngine(config, new Models({ root: config.models }), createLog({ level: 'silent' }));
  try {
    await engine.prepared();
    return await use(engine);
  } finally {
    engine.destroy();
  }
}

interface Ran {
  readonly seconds: number;
  readonly transcripts: readonly Transcript[];
}

const admission = {
  reservationId: null,
  release: async () => {},
  settling: () => {},
  handOver: () => {},
  recheck: async () => Number.POSITIVE_INFINITY,
};

async function runJobs(
  engine: Engine,
  files: readonly Buffer[],
  asked: Partial<JobRequest>,
  concurrency: number,
): Promise<Ran> {
  const place = sqliteBackend();
  const folder = mkdtempSync(join(tmpdir(), 'bench-jobs-audio-'));
  const storage = await place.open();
  const blobs = await openBlobs({ folder: join(folder, 'blobs') });
  const clock = systemClock;
  const queue = new JobQueue(storage, clock);
  const gate = new UrlGate({ allowLoopback: false });
  const ffmpeg = findFfmpeg(null, new Models())?.path ?? 'ffmpeg';
  const billing = createBilling({ storage, clock, background: new BackgroundTasks({ clock }) });
  const transcription = new TranscriptionService({
    access: { confirm: async () => {} },
    storage,
    blobs,
    gate,
    billing,
    webhooks: new Webhooks({
      sealer: new Sealer(Buffer.alloc(32), 'bench'),
      storage,
      queue,
      gate,
      clock,
      background: new BackgroundTasks({ clock }),
    }),
    clock,
    background: new BackgroundTasks({ clock }),
    queue,
    decoder: new AudioDecoder({ ffmpeg, temporary: folder, atOnce: 4 }),
    recognizer: engineRecognizer(engine),
    voices: engineVoices(engine),
    spoolFolder: join(folder, 'spool'),
    concurrency,
  });
  const { jobs } = transcription;
  const ids = files.map(() => jobs.newId());
  const request = { ...PLAIN_REQUEST, ...asked };
  try {
    for (const [at, id] of ids.entries()) {
      await blobs.put({ area: 'jobs', owner: id, name: 'audio' }, [files[at]] as never, { payer: null });
      await jobs.submit({
        id,
        principal,
        admission,
        request,
        audioUrl: null,
        webhookUrl: null,
        idempotencyKey: null,
        keep: async () => {},
      });
    }
    const began = performance.now();
    await transcription.start();
    while ((await storage.db.selectFrom('jobs').select('id').limit(1).execute()).length > 0) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const seconds = (performance.now() - began) / 1000;
    await transcription.stop(0);
    return { seconds, transcripts: await Promise.all(ids.map((id) => transcriptOf(storage, id))) };
  } finally {
    await gate.close();
    await storage.close();
    await place.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function transcriptOf(storage: Storage, id: string): Promise<Transcript> {
  const row = await acrossTenants(storage.db)
    .selectFrom('transcription_results')
    .select('document')
    .where('job_id', '=', id)
    .executeTakeFirst();
  if (!row) throw new Error(`job ${id} failed`);
  return JSON.parse(row.document) as Transcript;
}
