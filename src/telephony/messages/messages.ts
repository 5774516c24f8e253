import type { TenantScope } from '../../foundation/access/contract.ts';
import { tenantScopeOfRow } from '../../foundation/access/index.ts';
import type { AuditActor } from '../../foundation/audit/contract.ts';
import type { JobQueue, Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { newId } from '../../foundation/platform/ids.ts';
import { GateError, type UrlGate } from '../../foundation/platform/url-gate/index.ts';
import type { Storage } from '../../foundation/storage/index.ts';
import type { MessageHandOverRow, MessageRow } from '../../foundation/storage/tables/messages.ts';
import type { Webhooks } from '../../foundation/webhooks/index.ts';
import { detectOptOut } from '../../language/text/index.ts';
import type { IncomingMessage, MessageCarrier, MessageListener, MessageReport } from '../carriers/index.ts';
import { answeringJob, MessageAnsweringQueue } from './answering-queue.ts';
import type {
  AnswerAdmission,
  Answerer,
  MessageBilling,
  NewMessage,
  NumberDirectory,
  TextCharge,
} from './contract.ts';
import { HandOvers, handOverView } from './hand-overs.ts';
import { MessageStore } from './message-store.ts';
import { hasOptedOut, optIn, optOut, type Pair } from './opt-outs.ts';
import { MessageSendQueue, sendingJob } from './send-queue.ts';
import { viewOf } from './view.ts';

export interface MessagesOptions {
  readonly storage: Storage;
  readonly queue: JobQueue;
  readonly clock: Clock;
  readonly gate: UrlGate;
  readonly webhooks: Pick<Webhooks, 'publish'>;
  readonly carrier: MessageCarrier;
  readonly numbers: NumberDirectory;
  readonly texts: MessageBilling;
  readonly answering?: { readonly answerer: Answerer; readonly admission: AnswerAdmission };
  readonly onError?: (error: Error) => void;
}

const EVENTS = {
  received: 'message.received',
  delivered: 'message.delivered',
  failed: 'message.failed',
} as const;

const notOurs = (param: string): ApiError =>
  new ApiError('invalid_request', 'The number does not belong to this project.', { param });

export interface SendOptions {
  readonly keyId?: string | null;
  readonly within?: (trx: Trx, row: MessageRow) => Promise<void>;
}

/** `wanted: false` marks a message to a recipient who has opted out. */
interface Adding {
  readonly id?: string;
  readonly wanted: boolean;
  readonly answersId?: string;
  readonly charge?: TextCharge;
}

export class Messages implements MessageListener {
  readonly store: MessageStore;
  readonly handOvers: HandOvers;
  readonly #options: MessagesOptions;
  readonly #sending: MessageSendQueue;
  readonly #answering: MessageAnsweringQueue | null;

  constructor(options: MessagesOptions) {
    this.#options = options;
    this.store = new MessageStore(options.storage, options.clock);
    const notify = (trx: Trx, scope: TenantScope, row: MessageRow) => this.#notify(trx, scope, row);
    this.#sending = new MessageSendQueue({ ...options, store: this.store, notify });
    this.handOvers = new HandOvers(options.storage, options.clock);
    this.#answering = options.answering === undefined ? null : this.#answeringBy(options.answering);
    options.carrier.listen(this);
  }

  #answeringBy(by: NonNullable<MessagesOptions['answering']>): MessageAnsweringQueue {
    const { store, handOvers } = this;
    return new MessageAnsweringQueue({
      ...this.#options,
      ...by,
      store,
      handOvers,
      add: (trx, scope, message, answersId) => this.#addWanted(trx, scope, message, answersId),
      handedOver: (trx, scope, row) => this.#publishHandOver(trx, scope, row),
    });
  }

  start(): void {
    this.#sending.start();
    this.#answering?.start();
  }

  async stop(deadlineMs: number): Promise<void> {
    await Promise.all([this.#sending.stop(deadlineMs), this.#answering?.stop(deadlineMs)]);
    await this.#options.carrier.stop();
  }

  /**
   * Reserves the price and queues the message. A message to a recipient who has opted out of that number fails at
   * once and is never sent. Throws ApiError where the project may not send it.
   */
  async send(
    scope: TenantScope,
    message: NewMessage,
    { keyId = null, within = async () => {} }: SendOptions = {},
  ): Promise<MessageRow> {
    const { storage, numbers, texts } = this.#options;
    this.#check(message);
    if (!(await numbers.owns(scope, message.from))) throw notOurs('from');
    const id = newId('msg');
    const admitted = await texts.admit(scope, keyId, id);
    try {
      const row = await storage.transaction(async (trx) => {
        const wanted = !(await hasOptedOut(trx, scope, { ours: message.from, theirs: message.to }));
        if (wanted) await admitted.keep(trx);
        const added = await this.#add(trx, scope, message, { id, wanted, charge: admitted.charge });
        await within(trx, added);
        return added;
      });
      if (row.status === 'queued') admitted.handOver();
      return row;
    } finally {
      await admitted.release();
    }
  }

  /** Hands the conversation to a human until it is given back. Changes nothing when a human already has it. */
  async takeOver(
    scope: TenantScope,
    pair: Pair,
    summary: string | null,
    by: AuditActor,
  ): Promise<MessageHandOverRow> {
    const { storage, numbers } = this.#options;
    if (!(await numbers.owns(scope, pair.ours))) throw notOurs('number');
    return await storage.transaction(async (trx) => {
      const taken = { agentId: null, to: null, summary, messageId: null };
      const row = await this.handOvers.add(trx, scope, pair, taken, by);
      if (row !== null) await this.#publishHandOver(trx, scope, row);
      const held = row ?? (await this.handOvers.of(trx, scope, pair));
      if (held === null)
        throw new ApiError(
          'version_conflict',
          'The conversation was handed back to the agent by another request.',
        );
      return held;
    });
  }

  /** A network's reports come in any order: `sent` may follow `delivered`. */
  async report(report: MessageReport): Promise<void> {
    const row = await this.store.byId(report.id);
    if (row === null) return;
    const scope = tenantScopeOfRow(row);
    const to =
      report.state === 'delivered'
        ? ({ status: 'delivered', failure_code: null } as const)
        : ({ status: 'failed', failure_code: report.code } as const);
    await this.#options.storage.transaction(async (trx) => {
      const moved = await this.store.move(trx, scope, row.id, ['queued', 'sent'], to);
      if (moved !== null) await this.#notify(trx, scope, moved);
    });
  }

  /** Drops a message to a number that no organization here has, as any network would. */
  async incoming(message: IncomingMessage): Promise<boolean> {
    const { storage, numbers } = this.#options;
    const scope = await numbers.ownerOf(message.to);
    if (scope === null) return false;
    const received = { ...message, campaignId: null };
    await storage.transaction(async (trx) => {
      const state = { direction: 'inbound', status: 'received', failure_code: null } as const;
      const row = await this.store.add(trx, scope, received, { ...state, reference: message.reference });
      if (row === null) return;
      await this.#notify(trx, scope, row);
      if (!(await this.#obey(trx, scope, message)) && this.#answering !== null && message.body.trim() !== '')
        await this.#options.queue.enqueue(trx, answeringJob(row.id, scope.org));
    });
    return true;
  }

  /**
   * Carries out an opt-out or opt-in keyword and sends its confirmation, after an opt-out the last message to that
   * person. Returns false when the message holds no keyword.
   */
  async #obey(trx: Trx, scope: TenantScope, { from, to, body }: IncomingMessage): Promise<boolean> {
    const said = detectOptOut(body);
    if (said === null) return false;
    const pair = { ours: to, theirs: from };
    const changed =
      said.wish === 'stop'
        ? await optOut(trx, scope, pair, this.#options.clock.now())
        : await optIn(trx, scope, pair);
    if (!changed) return true;
    const answer = { from: to, to: from, body: said.answer, mediaUrls: [], campaignId: null };
    await this.#add(trx, scope, answer, { wanted: true });
    return true;
  }

  async #addWanted(trx: Trx, scope: TenantScope, message: NewMessage, answersId: string): Promise<boolean> {
    if (await hasOptedOut(trx, scope, { ours: message.from, theirs: message.to })) return false;
    await this.#add(trx, scope, message, { wanted: true, answersId });
    return true;
  }

  async #add(
    trx: Trx,
    scope: TenantScope,
    message: NewMessage,
    { id, wanted, answersId, charge }: Adding,
  ): Promise<MessageRow> {
    const state = wanted
      ? ({ status: 'queued', failure_code: null } as const)
      : ({ status: 'failed', failure_code: 'opted_out' } as const);
    const row = await this.store.add(trx, scope, message, {
      ...state,
      direction: 'outbound',
      reference: null,
      ...(id === undefined ? {} : { id }),
      ...(answersId === undefined ? {} : { answers_id: answersId }),
    });
    if (row === null) throw new Error('A message with the new ID already exists.');
    if (wanted) await this.#options.queue.enqueue(trx, sendingJob(row.id, scope.org, charge ?? null));
    else await this.#notify(trx, scope, row);
    return row;
  }

  #check({ body, mediaUrls }: NewMessage): void {
    if (body.trim() === '' && mediaUrls.length === 0)
      throw new ApiError('invalid_request', 'A message must have a body or media.', { param: 'body' });
    for (const [at, url] of mediaUrls.entries()) this.#checkUrl(url, `media_urls.${at}`);
  }

  #checkUrl(url: string, param: string): void {
    try {
      this.#options.gate.check(url);
    } catch (error) {
      if (error instanceof GateError) throw new ApiError('invalid_request', error.message, { param });
      throw error;
    }
  }

  async #publishHandOver(trx: Trx, scope: TenantScope, row: MessageHandOverRow): Promise<void> {
    const event = { type: 'message.handed_over', data: handOverView(row), resource: row.id } as const;
    await this.#options.webhooks.publish(trx, { scope, ...event, urls: [] });
  }

  async #notify(trx: Trx, scope: TenantScope, row: MessageRow): Promise<void> {
    if (row.status === 'queued' || row.status === 'sent') return;
    const type = EVENTS[row.status];
    await this.#options.webhooks.publish(trx, {
      scope,
      type,
      data: viewOf(row),
      resource: row.id,
      urls: [],
    });
  }
}
