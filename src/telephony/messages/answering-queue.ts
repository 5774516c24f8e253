import type { TenantScope } from '../../foundation/access/contract.ts';
import { tenantScopeOfRow } from '../../foundation/access/index.ts';
import {
  type JobDefinition,
  type JobQueue,
  type JobToEnqueue,
  QueueWorker,
  type RunningJob,
  type Trx,
} from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import type { Storage } from '../../foundation/storage/index.ts';
import type { MessageHandOverRow, MessageRow } from '../../foundation/storage/tables/messages.ts';
import type { AdmittedAnswer, AnswerAdmission, Answerer, NewMessage, TextReply } from './contract.ts';
import type { HandOvers } from './hand-overs.ts';
import type { MessageStore } from './message-store.ts';
import { hasOptedOut, type Pair } from './opt-outs.ts';

export interface MessageAnsweringQueueOptions {
  readonly storage: Storage;
  readonly queue: JobQueue;
  readonly clock: Clock;
  readonly store: MessageStore;
  readonly answerer: Answerer;
  readonly admission: AnswerAdmission;
  readonly handOvers: HandOvers;
  /** Returns false, and sends nothing, when the recipient has opted out. */
  readonly add: (trx: Trx, scope: TenantScope, message: NewMessage, answersId: string) => Promise<boolean>;
  readonly handedOver: (trx: Trx, scope: TenantScope, row: MessageHandOverRow) => Promise<void>;
  readonly onError?: ((error: Error) => void) | undefined;
}

const QUEUE = 'messages.answer';
/** The retries end within minutes: a later answer no longer fits the conversation. */
const TRIES = 5;
const TALK = 20;
/** The limit per hour ends a loop of two machines that answer each other. */
const MOST_ANSWERS = 20;
const HOUR_MS = 3_600_000;

export const answeringJob = (id: string, orgId: string): JobToEnqueue => ({
  id,
  queue: QUEUE,
  tenant: orgId,
  payload: null,
  maxAttempts: TRIES,
});

/** Has agents answer received messages. Each message is answered once; of several at once only the last is. */
export class MessageAnsweringQueue extends QueueWorker {
  readonly #options: MessageAnsweringQueueOptions;

  constructor(options: MessageAnsweringQueueOptions) {
    super(options);
    this.#options = options;
  }

  protected definition(): JobDefinition {
    return {
      queue: QUEUE,
      isOutbound: true,
      concurrency: 4,
      perTenant: 2,
      leaseMs: 120_000,
      run: (job, signal) => this.#run(job, signal),
    };
  }

  async #run(job: RunningJob, signal: AbortSignal): Promise<void> {
    const { store, answerer, admission } = this.#options;
    const row = await store.byId(job.id);
    const written = row === null ? null : await this.#toAnswer(row);
    if (row === null || written === null) return await job.complete(async () => {});
    const scope = tenantScopeOfRow(row);
    const admitted = await admission.admit(scope, row.id);
    if (admitted === null) return await job.complete(async () => {});
    try {
      const answer = await answerer.answer(scope, written, signal);
      await job.complete(async (trx) => {
        if (answer !== null) await this.#store(trx, row, answer, admitted);
      });
    } finally {
      await admitted.release();
    }
  }

  /** Stores the answer, its cost and the hand-over in one transaction. */
  async #store(
    trx: Trx,
    row: MessageRow,
    { text, handOver }: TextReply,
    admitted: AdmittedAnswer,
  ): Promise<void> {
    const { add, handOvers, handedOver } = this.#options;
    const scope = tenantScopeOfRow(row);
    const pair: Pair = { ours: row.to_number, theirs: row.from_number };
    if ((await handOvers.of(trx, scope, pair)) !== null) return;
    if (text !== '') {
      const answer = { from: pair.ours, to: pair.theirs, body: text, mediaUrls: [], campaignId: null };
      if (await add(trx, scope, answer, row.id)) await admitted.bill(trx, row.id);
    }
    if (handOver === null) return;
    const made = await handOvers.add(trx, scope, pair, { ...handOver, messageId: row.id });
    if (made !== null) await handedOver(trx, scope, made);
  }

  /**
   * The result is null when no answer is due: the recipient opted out, has written again, was answered too often, or
   * a human has taken over.
   */
  async #toAnswer(row: MessageRow) {
    const { storage, clock, store, handOvers } = this.#options;
    const scope = tenantScopeOfRow(row);
    const pair: Pair = { ours: row.to_number, theirs: row.from_number };
    if (await hasOptedOut(storage.db, scope, pair)) return null;
    if ((await handOvers.of(storage.db, scope, pair)) !== null) return null;
    const rows = await store.between(scope, pair, TALK);
    const since = Number(row.created_at);
    const isLater = ({ id, created_at }: MessageRow) =>
      Number(created_at) > since || (Number(created_at) === since && id > row.id);
    if (rows.some((one) => one.direction === 'inbound' && isLater(one))) return null;
    if ((await store.answersSince(scope, pair, clock.now() - HOUR_MS)) >= MOST_ANSWERS) return null;
    const before = rows.filter(({ id }) => id !== row.id);
    const talk = [...before, row].filter(({ body }) => body.trim() !== '');
    return {
      id: row.id,
      ...pair,
      talk: talk.map(({ direction, body }) => ({
        by: direction === 'inbound' ? ('person' as const) : ('agent' as const),
        text: body,
      })),
    };
  }
}
