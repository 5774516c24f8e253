import type { Environment, TenantScope } from '../../foundation/access/contract.ts';
import { tenantScopeOfRow } from '../../foundation/access/index.ts';
import type { JobDefinition, JobQueue, JobWorker, RunningJob, Trx } from '../../foundation/jobs/index.ts';
import type { Blobs, Storage } from '../../foundation/storage/index.ts';
import type { RawConversation } from './conversation.ts';
import { callConversation, jobConversation } from './sources.ts';

const LEASE_MS = 60_000;
/** The limit of jobs in flight: each takes a worker thread of this process, or a model's time. */
const AT_ONCE = 2;

/** An ended call or recording, and its tenant. */
export interface EndedSource {
  readonly kind: 'call' | 'job';
  readonly id: string;
  readonly org_id: string;
  readonly project_id: string;
  readonly environment: Environment;
}

type Keep = (trx: Trx) => Promise<void>;

/** One of several attempts, each from the beginning. */
export interface JobAttempt {
  /** The id of the call or recording. */
  readonly id: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly stop: AbortSignal;
}

export interface EndedCallJobsOptions {
  readonly storage: Storage;
  /** Offloaded transcripts are stored here. */
  readonly blobs: Pick<Blobs, 'get'>;
  readonly queue: JobQueue;
  readonly name: string;
  /**
   * Makes the result of a conversation; returns null where none is wanted. `read` returns null where the conversation
   * was removed.
   */
  readonly work: (
    scope: TenantScope,
    read: () => Promise<RawConversation | null>,
    one: JobAttempt,
  ) => Promise<Keep | null>;
  /** Runs in the transaction that gives the job up. */
  readonly died?: (trx: Trx, scope: TenantScope, id: string) => Promise<void>;
  readonly onError?: (error: Error) => void;
}

/** Processes every ended call and recording once, across crashes of nodes. */
export class EndedCallJobs {
  readonly #options: EndedCallJobsOptions;
  #worker: JobWorker | null = null;

  constructor(options: EndedCallJobsOptions) {
    this.#options = options;
    options.queue.define(this.definition);
  }

  /** Runs in the transaction that writes the session's record. */
  async ended(trx: Trx, { kind, id, org_id, project_id, environment }: EndedSource): Promise<void> {
    const payload: EndedSource = { kind, id, org_id, project_id, environment };
    const { queue, name } = this.#options;
    // A call that was taken for lost ends again when its node takes it back.
    await queue.replace(trx, { id: `${name} ${id}`, queue: name, tenant: org_id, payload });
  }

  start(): void {
    const { queue, onError } = this.#options;
    this.#worker = queue.startWorker(this.definition, onError === undefined ? {} : { onError });
  }

  async stop(deadlineMs: number): Promise<void> {
    await this.#worker?.stop(deadlineMs);
  }

  get definition(): JobDefinition {
    const { name, died } = this.#options;
    return {
      queue: name,
      concurrency: AT_ONCE,
      leaseMs: LEASE_MS,
      run: (job, signal) => this.#run(job, signal),
      onDead: async (trx, { payload }) => {
        const { id, ...place } = payload as EndedSource;
        await died?.(trx, tenantScopeOfRow(place), id);
      },
    };
  }

  async #run(job: RunningJob, stop: AbortSignal): Promise<void> {
    const { kind, id, ...place } = job.payload as EndedSource;
    const scope = tenantScopeOfRow(place);
    const { storage, blobs, work } = this.#options;
    const read = () =>
      kind === 'call'
        ? callConversation(storage.db, scope, id, blobs)
        : jobConversation(storage.db, scope, id);
    const keep = await work(scope, read, { id, attempt: job.attempt, stop });
    await job.complete(keep ?? (async () => {}));
  }
}
