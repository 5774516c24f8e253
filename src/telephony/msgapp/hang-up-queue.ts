import { tenantScopeOfRow } from '../../foundation/access/index.ts';
import type { JobDefinition, JobQueue, JobWorker, RunningJob, Trx } from '../../foundation/jobs/index.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { Log } from '../../foundation/platform/log.ts';
import type { MsgappCallRow } from '../../foundation/storage/tables/msgapp.ts';
import type { MsgappCallStore } from './msgapp-call-store.ts';
import type { MsgappNumbers } from './numbers.ts';
import { type MsgappProvider, ProviderFault } from './provider.ts';

export interface HangUpQueueOptions {
  readonly queue: JobQueue;
  readonly records: MsgappCallStore;
  readonly numbers: MsgappNumbers;
  readonly provider: MsgappProvider;
  readonly log: Pick<Log, 'warn'>;
}

const QUEUE = 'msgapp.hang-up';
/** With the queue's backoff, the retries span some minutes, after which the provider ends the call by itself. */
const TRIES = 8;

/**
 * Has the provider end the calls of a node that died. Each is ended at least once, and later where the provider is
 * unreachable.
 */
export class HangUpQueue {
  readonly #options: HangUpQueueOptions;
  #worker: JobWorker | null = null;

  constructor(options: HangUpQueueOptions) {
    this.#options = options;
    options.queue.define(this.#definition());
  }

  /** Runs in the transaction that ends the call's record, so that neither is lost. */
  async add(trx: Trx, { id, org_id }: MsgappCallRow): Promise<void> {
    const job = { id, queue: QUEUE, tenant: org_id, payload: null, maxAttempts: TRIES };
    await this.#options.queue.enqueue(trx, job);
  }

  start(onError: (error: unknown) => void): void {
    this.#worker = this.#options.queue.startWorker(this.#definition(), { onError });
  }

  async stop(): Promise<void> {
    await this.#worker?.stop(0);
  }

  #definition(): JobDefinition {
    return { queue: QUEUE, isOutbound: true, concurrency: 4, leaseMs: 60_000, run: (job) => this.#run(job) };
  }

  async #run(job: RunningJob): Promise<void> {
    const row = await this.#options.records.byId(job.id);
    if (row !== null) await this.#notify(row);
    await job.complete(async () => {});
  }

  /** Throws where a retry may succeed. A refusal means that the provider has already ended the call. */
  async #notify(row: MsgappCallRow): Promise<void> {
    const { numbers, provider, log } = this.#options;
    try {
      const number = await numbers.get(tenantScopeOfRow(row), row.number_id);
      const action = { callId: row.provider_call_id, action: 'terminate' } as const;
      await provider.act(numbers.accountOf(number), action);
    } catch (err) {
      const refused = err instanceof ApiError || (err instanceof ProviderFault && !err.mayPass);
      if (!refused) throw err;
      log.warn({ err, call: row.id }, 'the messaging provider did not end a call of a node that failed');
    }
  }
}
