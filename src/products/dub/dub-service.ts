import type { RetentionDays } from '../../foundation/access/index.ts';
import { type JobDefinition, type JobWorker, sandboxQueueOf } from '../../foundation/jobs/index.ts';
import type { BackgroundTasks } from '../../foundation/platform/background-tasks.ts';
import type { RetentionSweep } from '../../foundation/privacy/index.ts';
import { AudioSpool } from '../../speech/transcription/index.ts';
import { DubJobs } from './dub-jobs.ts';
import { FETCH_QUEUE, QUEUE } from './keys-and-queues.ts';
import { dubSweep } from './retention.ts';
import { DubRun, type DubRunDeps } from './run/run.ts';
import type { TranslationDirections } from './translators/index.ts';

export interface DubServiceDeps extends Omit<DubRunDeps, 'spool'> {
  readonly spoolFolder: string;
  readonly background: BackgroundTasks;
  readonly retention: (orgId: string) => Promise<RetentionDays>;
  readonly onError: (error: Error) => void;
  /** The delays between attempts; the default outlasts a restart of the customer's server. */
  readonly waitsMs?: readonly number[];
}

const LEASE_MS = 30_000;
const FETCHES = 8;
const TRIAL_FETCHES = 4;
const FETCHES_PER_TENANT = 2;
/** Each dub takes about one core. */
const DUBS = 1;
const TURN_MS = 10 * 60_000;
const WAITS_MS = [2_000, 10_000, 30_000, 60_000, 120_000, 300_000] as const;
/** Translators are probed this long after the server has begun to serve. */
const TRIED_AFTER_MS = 3_000;

export class DubService {
  readonly jobs: DubJobs;
  readonly directions: TranslationDirections;
  readonly #deps: DubServiceDeps;
  #workers: JobWorker[] = [];
  #sweeping: RetentionSweep | null = null;
  #cancelTrial: () => void = () => {};

  constructor(deps: DubServiceDeps) {
    this.jobs = new DubJobs(deps);
    this.directions = deps.directions;
    this.#deps = deps;
  }

  async start(): Promise<void> {
    const { clock, queue, onError } = this.#deps;
    const spool = await AudioSpool.open(this.#deps.spoolFolder);
    const run = new DubRun({ ...this.#deps, spool });
    this.#workers = [
      this.#fetching(run, FETCH_QUEUE, FETCHES),
      this.#fetching(run, sandboxQueueOf(FETCH_QUEUE), TRIAL_FETCHES),
      this.#dubbing(run, QUEUE),
      this.#dubbing(run, sandboxQueueOf(QUEUE)),
    ].map((definition) => queue.startWorker(definition, { onError }));
    this.#sweeping = dubSweep(this.#deps);
    this.#sweeping.start();
    this.#cancelTrial = clock.after(TRIED_AFTER_MS, () => void this.directions.list().catch(onError));
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#cancelTrial();
    void this.#sweeping?.stop();
    await Promise.all(this.#workers.splice(0).map((worker) => worker.stop(deadlineMs)));
    this.directions.stop();
  }

  #common(run: DubRun): Pick<JobDefinition, 'leaseMs' | 'backoffMs' | 'onDead' | 'onRevived'> {
    const waits = this.#deps.waitsMs ?? WAITS_MS;
    return {
      leaseMs: LEASE_MS,
      backoffMs: (attempt) => waits[Math.min(attempt, waits.length) - 1] ?? 0,
      onDead: (trx, job) => run.died(trx, job),
      onRevived: (trx, job) => run.revived(trx, job),
    };
  }

  #fetching(run: DubRun, queue: string, concurrency: number): JobDefinition {
    const limits = { concurrency, perTenant: FETCHES_PER_TENANT };
    return {
      ...this.#common(run),
      queue,
      ...limits,
      run: (job, signal) => run.fetch(job, signal),
    };
  }

  #dubbing(run: DubRun, queue: string): JobDefinition {
    const limits = { concurrency: DUBS, timeSliceMs: TURN_MS };
    return { ...this.#common(run), queue, ...limits, run: (job, signal) => run.run(job, queue, signal) };
  }
}
