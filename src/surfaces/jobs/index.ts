import { DEFAULT_RETENTION, type RetentionDays } from '../../access/index.ts';
import type { JobDefinition, JobQueue, Worker } from '../../jobs/index.ts';
import type { Surface } from '../../server/surface.ts';
import { registerRoutes } from './routes.ts';
import { type TranscriptionDeps, TranscriptionRun } from './run/run.ts';
import { Spool } from './run/spool.ts';
import { QUEUE, TranscriptionJobs } from './service.ts';
import { sweep } from './sweep.ts';

export type {
  RecognizeOptions,
  Recognizer,
  Step,
  Stretch,
  Voice,
  VoiceReader,
  Word,
} from './contract.ts';
export { SAMPLE_RATE } from './contract.ts';

export interface JobsSurfaceDeps extends Omit<TranscriptionDeps, 'spool'> {
  readonly queue: JobQueue;
  /** Where decoded audio waits while its job runs. */
  readonly spoolFolder: string;
  /** Jobs that this process works on at a time. */
  readonly concurrency: number;
  readonly retention?: (orgId: string) => Promise<RetentionDays>;
  readonly onError?: (error: Error) => void;
}

const LEASE_MS = 30_000;
/** Waits between tries: a customer's server that restarts should not cost them the job. */
const WAITS_MS = [5_000, 30_000, 120_000, 600_000] as const;
const waitAfter = (attempt: number): number =>
  (WAITS_MS[attempt - 1] ?? 600_000) * (0.75 + Math.random() * 0.5);
const SWEEP_EVERY_MS = 3600 * 1000;

export function createJobsSurface(deps: JobsSurfaceDeps): Surface {
  const { storage, blobs, queue, clock, gate, decoder } = deps;
  const jobs = new TranscriptionJobs({ storage, blobs, queue, clock });
  const onError = deps.onError ?? (() => {});
  let worker: Worker | null = null;
  let cancelSweep = () => {};
  const sweepDeps = { storage, blobs, clock, retention: deps.retention ?? (async () => DEFAULT_RETENTION) };
  const scheduleSweep = () => {
    cancelSweep = clock.after(SWEEP_EVERY_MS, () => {
      sweep(sweepDeps).catch(onError).finally(scheduleSweep);
    });
  };
  return {
    name: 'transcription jobs',
    routes: (app) => registerRoutes(app, { jobs, queue, blobs, gate, decoder }),
    start: async () => {
      const spool = await Spool.open(deps.spoolFolder);
      worker = queue.work(definitionOf(new TranscriptionRun({ ...deps, spool }), deps.concurrency), {
        onError,
      });
      scheduleSweep();
    },
    stop: async (deadlineMs) => {
      cancelSweep();
      await worker?.stop(deadlineMs);
    },
  };
}

const definitionOf = (run: TranscriptionRun, concurrency: number): JobDefinition => ({
  queue: QUEUE,
  concurrency,
  leaseMs: LEASE_MS,
  backoffMs: waitAfter,
  run: (job, signal) => run.run(job, signal),
  died: (trx, job) => run.died(trx, job),
  revived: (trx, job) => run.revived(trx, job),
});
