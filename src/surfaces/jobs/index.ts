import { DEFAULT_RETENTION, type RetentionDays } from '../../access/index.ts';
import type { JobDefinition, Worker } from '../../jobs/index.ts';
import { type Repeating, repeat } from '../../platform/repeat.ts';
import type { Surface } from '../../server/surface.ts';
import { registerRoutes } from './routes.ts';
import { type TranscriptionDeps, TranscriptionRun } from './run/run.ts';
import { Spool } from './run/spool.ts';
import { FETCH_QUEUE, QUEUE, TranscriptionJobs } from './service.ts';
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
  /** Where decoded audio waits while its job runs. */
  readonly spoolFolder: string;
  /** Jobs that this process works on at a time. */
  readonly concurrency: number;
  readonly retention?: (orgId: string) => Promise<RetentionDays>;
  readonly onError?: (error: Error) => void;
}

const LEASE_MS = 30_000;
/** They only wait for the network. */
const FETCHES = 16;
const FETCHES_PER_TENANT = 4;
/** A long recording makes room after so long: going on later costs decoding it again, a minute for four hours. */
const TURN_MS = 10 * 60_000;
/** Waits between tries: a customer's server that restarts should not cost them the job. */
const WAITS_MS = [5_000, 30_000, 120_000, 600_000] as const;
const waitAfter = (attempt: number): number =>
  (WAITS_MS[attempt - 1] ?? 600_000) * (0.75 + Math.random() * 0.5);
/** Soon: a node may be restarted more often than every hour. */
const FIRST_SWEEP_MS = 5 * 60_000;
const SWEEP_EVERY_MS = 3600 * 1000;

export function createJobsSurface(deps: JobsSurfaceDeps): Surface {
  const { storage, blobs, queue, clock, gate, decoder } = deps;
  const jobs = new TranscriptionJobs({ storage, blobs, queue, clock });
  const onError = deps.onError ?? (() => {});
  let workers: Worker[] = [];
  let sweeping: Repeating | null = null;
  const sweepDeps = { storage, blobs, clock, retention: deps.retention ?? (async () => DEFAULT_RETENTION) };
  return {
    name: 'transcription jobs',
    routes: (app) => registerRoutes(app, { jobs, queue, blobs, gate, decoder }),
    start: async () => {
      const spool = await Spool.open(deps.spoolFolder);
      const run = new TranscriptionRun({ ...deps, spool });
      const definitions = [fetching(run), recognizing(run, deps.concurrency)];
      workers = definitions.map((definition) => queue.work(definition, { onError }));
      const times = { everyMs: SWEEP_EVERY_MS, firstMs: FIRST_SWEEP_MS };
      sweeping = repeat(clock, () => sweep(sweepDeps), { ...times, onError });
    },
    stop: async (deadlineMs) => {
      void sweeping?.stop();
      await Promise.all(workers.splice(0).map((worker) => worker.stop(deadlineMs)));
    },
  };
}

const settled = (
  run: TranscriptionRun,
): Pick<JobDefinition, 'leaseMs' | 'backoffMs' | 'died' | 'revived'> => ({
  leaseMs: LEASE_MS,
  backoffMs: waitAfter,
  died: (trx, job) => run.died(trx, job),
  revived: (trx, job) => run.revived(trx, job),
});

const fetching = (run: TranscriptionRun): JobDefinition => ({
  ...settled(run),
  queue: FETCH_QUEUE,
  concurrency: FETCHES,
  perTenant: FETCHES_PER_TENANT,
  run: (job, signal) => run.fetch(job, signal),
});

const recognizing = (run: TranscriptionRun, concurrency: number): JobDefinition => ({
  ...settled(run),
  queue: QUEUE,
  concurrency,
  turnMs: TURN_MS,
  run: (job, signal) => run.run(job, signal),
});
