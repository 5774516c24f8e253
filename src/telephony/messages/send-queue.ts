import type { TenantScope } from '../../foundation/access/contract.ts';
import { tenantScopeOfRow } from '../../foundation/access/index.ts';
import {
  type DeadJob,
  type JobDefinition,
  type JobQueue,
  type JobToEnqueue,
  QueueWorker,
  type RunningJob,
  type Trx,
} from '../../foundation/jobs/index.ts';
import type { UrlGate } from '../../foundation/platform/url-gate/index.ts';
import type { Storage } from '../../foundation/storage/index.ts';
import type { MessageRow } from '../../foundation/storage/tables/messages.ts';
import { type MessageCarrier, MessageCarrierError } from '../carriers/index.ts';
import type { FailureCode, MessageBilling, TextCharge } from './contract.ts';
import { mediaProblem } from './media.ts';
import type { MessageStore } from './message-store.ts';
import { optedOutAt } from './opt-outs.ts';

export interface MessageSendQueueOptions {
  readonly queue: JobQueue;
  readonly storage: Pick<Storage, 'db'>;
  readonly carrier: MessageCarrier;
  readonly gate: UrlGate;
  readonly store: MessageStore;
  readonly texts: Pick<MessageBilling, 'settle' | 'giveBack'>;
  readonly notify: (trx: Trx, scope: TenantScope, row: MessageRow) => Promise<void>;
  readonly onError?: ((error: Error) => void) | undefined;
}

const QUEUE = 'messages';
/** With the queue's backoff, the retries span a network outage of two hours. */
const TRIES = 20;

/** A null `charge` means that the message has no price of its own. */
export const sendingJob = (id: string, orgId: string, charge: TextCharge | null): JobToEnqueue => ({
  id,
  queue: QUEUE,
  tenant: orgId,
  payload: charge,
  maxAttempts: TRIES,
});

/** Hands messages to the network, which recognizes a retry by the message's id. */
export class MessageSendQueue extends QueueWorker {
  readonly #options: MessageSendQueueOptions;

  constructor(options: MessageSendQueueOptions) {
    super(options);
    this.#options = options;
  }

  protected definition(): JobDefinition {
    return {
      queue: QUEUE,
      isOutbound: true,
      concurrency: 16,
      perTenant: 8,
      leaseMs: 60_000,
      run: (job, signal) => this.#run(job, signal),
      onDead: (trx, job) => this.#died(trx, job),
    };
  }

  async #run(job: RunningJob, signal: AbortSignal): Promise<void> {
    const row = await this.#options.store.byId(job.id);
    if (row === null) return await job.complete(async () => {});
    // An earlier attempt handed the message over and ended before it could say so; the network has reported since.
    if (row.status !== 'queued') return await job.complete((trx) => this.#account(trx, job, true));
    const failure = await this.#hand(row, signal);
    const to =
      failure === null
        ? ({ status: 'sent', failure_code: null } as const)
        : ({ status: 'failed', failure_code: failure } as const);
    await job.complete(async (trx) => {
      await this.#account(trx, job, failure === null);
      // The network's delivery report may arrive before this transaction.
      const moved = await this.#options.store.move(trx, tenantScopeOfRow(row), row.id, ['queued'], to);
      if (moved?.status === 'failed') await this.#options.notify(trx, tenantScopeOfRow(row), moved);
    });
  }

  /** Returns null when the network accepted the message. Throws where a retry may succeed. */
  async #hand(row: MessageRow, signal: AbortSignal): Promise<FailureCode | null> {
    const { carrier, gate } = this.#options;
    if (await this.#isUnwanted(row)) return 'opted_out';
    const mediaUrls = JSON.parse(row.media_urls) as string[];
    for (const url of mediaUrls)
      if ((await mediaProblem(gate, url, signal)) !== null) return 'media_unreadable';
    try {
      await carrier.send({ id: row.id, from: row.from_number, to: row.to_number, body: row.body, mediaUrls });
      return null;
    } catch (error) {
      if (error instanceof MessageCarrierError && error.code !== null) return error.code;
      throw error;
    }
  }

  /** The person opted out while the message waited. What is written later confirms that. */
  async #isUnwanted(row: MessageRow): Promise<boolean> {
    const pair = { ours: row.from_number, theirs: row.to_number };
    const at = await optedOutAt(this.#options.storage.db, tenantScopeOfRow(row), pair);
    return at !== null && at > Number(row.created_at);
  }

  /** The project pays for an accepted message, whether or not the network delivers it. */
  async #account(
    trx: Trx,
    { id, payload }: Pick<RunningJob, 'id' | 'payload'>,
    taken: boolean,
  ): Promise<void> {
    const charge = payload as TextCharge | null;
    if (charge === null) return;
    const { texts } = this.#options;
    await (taken ? texts.settle(trx, id, charge) : texts.giveBack(trx, charge));
  }

  async #died(trx: Trx, job: DeadJob): Promise<void> {
    const { store, notify } = this.#options;
    const { id } = job;
    await this.#account(trx, job, false);
    const row = await store.byId(id, trx);
    if (row === null) return;
    const to = { status: 'failed', failure_code: 'carrier_unavailable' } as const;
    const moved = await store.move(trx, tenantScopeOfRow(row), id, ['queued'], to);
    if (moved !== null) await notify(trx, tenantScopeOfRow(row), moved);
  }
}
