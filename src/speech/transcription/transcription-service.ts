import { DEFAULT_RETENTION, type RetentionDays } from '../../foundation/access/index.ts';
import { type JobDefinition, type JobWorker, sandboxQueueOf } from '../../foundation/jobs/index.ts';
import type { BackgroundTasks, RepeatingTask } from '../../foundation/platform/background-tasks.ts';
import type { RetentionSweep } from '../../foundation/privacy/index.ts';
import { jobSweep } from './retention.ts';
import { type TranscriptionDeps, TranscriptionRun } from './run/run.ts';
import { AudioSpool } from './run/spool.ts';
import { FETCH_QUEUE, QUEUE, TranscriptionJobs } from './transcription-jobs.ts';

export interface TranscriptionServiceDeps extends Omit<TranscriptionDeps, 'spool'> {
  readonly spoolFolder: string;
  readonly concurrency: number;
  readonly background: BackgroundTasks;
  readonly retention?: (orgId: string) => Promise<RetentionDays>;
  readonly onError?: (error: Error) => void;
}

const LEASE_MS = 30_000;
/** Fetches only wait for the network, so many can run at once. */
const FETCHES = 16;
const TRIAL_FETCHES = 8;
const FETCHES_PER_TENANT = 4;
/** A long recording yields its slot after this time; resuming decodes it again, about a minute for four hours. */
const TURN_MS = 10 * 60_000;
/** The backoff lets a job survive the restart of a customer's server. */
const WAITS_MS = [5_000, 30_000, 120_000, 600_000] as const;
const waitAfter = (attempt: number): number =>
  (WAITS_MS[attempt - 1] ?? 600_000) * (0.75 + Math.random() * 0.5);
/** Abandoned sessions hold personal data, so the interval is short. */
const TIDY_EVERY_MS = 5 * 60_000;

export class TranscriptionService {
  readonly jobs: TranscriptionJobs;
  readonly #deps: TranscriptionServiceDeps;
  #workers: JobWorker[] = [];
  #sweeping: RetentionSweep | null = null;
  #tidying: RepeatingTask | null = null;

  constructor(deps: TranscriptionServiceDeps) {
    this.jobs = new TranscriptionJobs(deps);
    this.#deps = deps;
  }

  async start(): Promise<void> {
    const { storage, blobs, clock, queue, concurrency, background, onError = () => {} } = this.#deps;
    const spool = await AudioSpool.open(this.#deps.spoolFolder);
    const run = new TranscriptionRun({ ...this.#deps, spool });
    const definitions = [
      fetching(run, FETCH_QUEUE, FETCHES),
      fetching(run, sandboxQueueOf(FETCH_QUEUE), TRIAL_FETCHES),
      recognizing(run, QUEUE, concurrency),
      recognizing(run, sandboxQueueOf(QUEUE), Math.max(1, Math.floor(concurrency / 2))),
    ];
    this.#workers = definitions.map((definition) => queue.startWorker(definition, { onError }));
    const { retention = async () => DEFAULT_RETENTION } = this.#deps;
    this.#sweeping = jobSweep({
      storage,
      blobs,
      clock,
      retention,
      background,
    });
    this.#sweeping.start();
    const tidy = async () => {
      await spool.sweep();
      await blobs.sweep();
    };
    this.#tidying = background.repeat('abandoned transcription files', tidy, { everyMs: TIDY_EVERY_MS });
  }

  async stop(deadlineMs: number): Promise<void> {
    void this.#sweeping?.stop();
    void this.#tidying?.stop();
    await Promise.all(this.#workers.splice(0).map((worker) => worker.stop(deadlineMs)));
  }
}

const settled = (
  run: TranscriptionRun,
): Pick<JobDefinition, 'leaseMs' | 'backoffMs' | 'onDead' | 'onRevived'> => ({
  leaseMs: LEASE_MS,
  backoffMs: waitAfter,
  onDead: (trx, job) => run.died(trx, job),
  onRevived: (trx, job) => run.revived(trx, job),
});

const fetching = (run: TranscriptionRun, queue: string, concurrency: number): JobDefinition => ({
  ...settled(run),
  queue,
  concurrency,
  perTenant: FETCHES_PER_TENANT,
  run: (job, signal) => run.fetch(job, signal),
});

const recognizing = (run: TranscriptionRun, queue: string, concurrency: number): JobDefinition => ({
  ...settled(run),
  queue,
  concurrency,
  timeSliceMs: TURN_MS,
  run: (job, signal) => run.run(job, queue, signal),
});
