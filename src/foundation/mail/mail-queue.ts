import {
  type JobDefinition,
  type JobQueue,
  type JobWorker,
  PermanentError,
  type Trx,
} from '../jobs/index.ts';
import { newId } from '../platform/ids.ts';
import { type Mail, MailError, type Mailer } from './contract.ts';

export interface MailQueueOptions {
  readonly queue: JobQueue;
  readonly mailer: Mailer | null;
  readonly onError?: (error: Error) => void;
}

const QUEUE = 'mail';
/** With the queue's backoff, the attempts span about a day. */
const MAX_SEND_ATTEMPTS = 20;

/** Queues mail in the transaction of the change that it reports, and sends it at least once. */
export class MailQueue {
  readonly #options: MailQueueOptions;
  #worker: JobWorker | null = null;

  constructor(options: MailQueueOptions) {
    this.#options = options;
    options.queue.define(this.#definition());
  }

  get isConfigured(): boolean {
    return this.#options.mailer !== null;
  }

  /**
   * Returns the mail's id, or null without a mail server. `tenant` is the recipient's tenant, because the queue
   * serves tenants round robin.
   */
  async enqueue(trx: Trx, tenant: string, mail: Mail): Promise<string | null> {
    if (!this.isConfigured) return null;
    const id = newId('mail');
    await this.#options.queue.enqueue(trx, {
      id,
      queue: QUEUE,
      tenant,
      payload: mail,
      maxAttempts: MAX_SEND_ATTEMPTS,
    });
    return id;
  }

  start(): void {
    if (!this.isConfigured) return;
    const { queue, onError } = this.#options;
    this.#worker = queue.startWorker(this.#definition(), onError ? { onError } : {});
  }

  async stop(deadlineMs: number): Promise<void> {
    await this.#worker?.stop(deadlineMs);
    this.#options.mailer?.close();
  }

  #definition(): JobDefinition {
    return {
      queue: QUEUE,
      isOutbound: true,
      concurrency: 4,
      perTenant: 2,
      leaseMs: 120_000,
      run: async (job) => {
        await this.#send({ ...(job.payload as Mail), id: job.id });
        await job.complete(async () => {});
      },
    };
  }

  async #send(mail: Mail): Promise<void> {
    try {
      await this.#options.mailer?.send(mail);
    } catch (error) {
      if (error instanceof MailError && error.permanent)
        throw new PermanentError(error.message, { cause: error });
      throw error;
    }
  }
}
