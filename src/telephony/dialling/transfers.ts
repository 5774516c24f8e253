import type { Profile, ProfileSource } from '../../conversation/agents/index.ts';
import { callIdOf } from '../../conversation/calls/index.ts';
import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { Log } from '../../foundation/platform/log.ts';
import type { Storage } from '../../foundation/storage/index.ts';
import type { TelephonyCallRow, TelephonyNumberRow } from '../../foundation/storage/tables/telephony.ts';
import { CarrierError, music } from '../carriers/index.ts';
import { AgentCallFlow, type SpeakLine } from './agent-call-flow.ts';
import type { HandOverOrder } from './agent-media-handler.ts';
import type { CallDispatcher } from './call-dispatcher.ts';
import type { CallMedia } from './call-media.ts';
import type { OpenDenoisedAudio } from './denoised-audio.ts';
import type { DialLimiter } from './dial-limiter.ts';
import { ULAW } from './mixer-format.ts';
import { readSettings } from './number-settings.ts';
import type { PhoneCall } from './phone-call.ts';
import { canonicalNumber } from './phone-numbers.ts';
import { phrasesOf } from './phrases.ts';
import { PlaybackMediaHandler } from './playback-media-handler.ts';
import type { TelephonyCallStore } from './telephony-call-store.ts';
import type { CallTransfer } from './transfer-slot.ts';
import { WarmTransfer, type WarmTransferOrder } from './warm-transfer.ts';

export interface TransfersOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Log;
  readonly dispatcher: CallDispatcher;
  readonly records: TelephonyCallStore;
  readonly guards: DialLimiter;
  readonly profiles: ProfileSource;
  readonly speak: SpeakLine;
  readonly denoise: OpenDenoisedAudio;
  readonly redacts: (scope: TenantScope, agentId: string | null) => Promise<boolean>;
  /** Tells whether a registered telephone of the tenant rings at this number or SIP address. */
  readonly isTelephone: (scope: TenantScope, to: string) => Promise<boolean>;
}

export interface TransferOrder {
  readonly to: string;
  readonly kind: 'warm' | 'cold';
  readonly briefing?: string | undefined;
  readonly three_way?: boolean | undefined;
  readonly agent_listens?: boolean | undefined;
}

interface WarmCall {
  readonly call: PhoneCall;
  readonly row: TelephonyCallRow;
  readonly media: CallMedia;
  readonly to: string;
  readonly order: TransferOrder;
  readonly transfer: CallTransfer;
}

const WAITING_MS = 14_400;
const BETWEEN_CALLS_MS = 4_000;

interface Queue {
  readonly numbers: readonly string[];
  readonly untilMs: number;
}

export class Transfers {
  readonly #options: TransfersOptions;
  readonly #waiting = music(WAITING_MS);

  constructor(options: TransfersOptions) {
    this.#options = options;
  }

  /** Throws ApiError where the transfer is not possible. A warm transfer continues after the promise has settled. */
  async transfer(scope: TenantScope, call: PhoneCall, order: TransferOrder): Promise<void> {
    checkOrder(order);
    await this.#begin(call, order.to, (transfer) => this.#transfer(scope, call, order, transfer));
  }

  async #begin(call: PhoneCall, to: string, work: (transfer: CallTransfer) => Promise<void>): Promise<void> {
    const transfer = call.transfers.begin(to);
    try {
      await work(transfer);
    } catch (error) {
      transfer.giveUp();
      throw error;
    }
  }

  async #transfer(
    scope: TenantScope,
    call: PhoneCall,
    order: TransferOrder,
    transfer: CallTransfer,
  ): Promise<void> {
    const { guards, records } = this.#options;
    const to = await this.#targetOf(scope, order.to);
    if (to === null)
      throw new ApiError(
        'invalid_request',
        'to must be a telephone number in E.164 form, such as +34911234567, or the SIP address of one of your registered telephones.',
        { param: 'to' },
      );
    guards.checkTarget(to);
    const { media } = call;
    const row = await records.find(scope, call.id);
    if (media === null || row === null) throw notAnswered();
    if (order.kind === 'warm') await this.#warm(scope, { call, row, media, to, order, transfer });
    else await this.#cold(call, to, transfer, () => void this.#agentAgain(call, row, media));
  }

  async #targetOf(scope: TenantScope, to: string): Promise<string | null> {
    if (!/^sips?:/i.test(to)) return canonicalNumber(to);
    return (await this.#options.isTelephone(scope, to)) ? to : null;
  }

  /** The agent of the call goes on in silence, and transcribes. */
  async listen(call: PhoneCall, media: CallMedia): Promise<void> {
    const { plan } = call;
    if (call.isOver || !(plan instanceof AgentCallFlow)) return;
    await plan.takeAgent(call, media, undefined, { listens: true, done: () => undefined });
  }

  async giveBack(call: PhoneCall, media: CallMedia): Promise<void> {
    const row = await this.#options.records.find(call.scope, call.id);
    if (row === null || call.isOver) return;
    const { back } = phrasesOf(await this.#language(call.scope, row));
    await this.#resume(call, media, back, 'the person who had the call left it');
  }

  async handOver(call: PhoneCall, { to, summary, manner }: HandOverOrder): Promise<void> {
    const { records, dispatcher, log, clock } = this.#options;
    const { scope, media } = call;
    const row = await records.find(scope, call.id);
    if (row === null || media === null) return;
    try {
      const { fallback } = readSettings((await dispatcher.owned(scope, ownNumber(row))).settings);
      const number =
        (await this.#targetOf(scope, to)) ?? (fallback.kind === 'transfer' ? fallback.to : undefined);
      if (number === undefined)
        throw new ApiError(
          'invalid_request',
          `'${to}' is not a telephone number in E.164 form, such as +34911234567.`,
        );
      const stays = manner !== undefined && manner.agent !== 'leaves';
      const order: TransferOrder = {
        to: number,
        kind: manner?.kind === 'cold' ? 'cold' : 'warm',
        briefing: summary,
        three_way: stays,
        agent_listens: manner?.agent === 'listens',
      };
      if (manner?.kind !== 'queue') await this.transfer(scope, call, order);
      else {
        const numbers = [number, ...manner.also.flatMap((one) => canonicalNumber(one) ?? [])];
        const transfer = call.transfers.begin(number);
        media.setHandler(new PlaybackMediaHandler({ clock, sound: this.#waiting, loop: true }));
        const untilMs = clock.monotonic() + manner.waitSeconds * 1000;
        this.#callNext({ call, row, media, order, transfer }, { numbers, untilMs }, 0);
      }
    } catch (error) {
      log.warn({ err: error, call: call.id }, 'a transfer failed');
      if (!call.transfers.whenGivenUp(() => void this.#agentAgain(call, row, media)))
        await this.#agentAgain(call, row, media);
    }
  }

  /** Calls the numbers in turn until one accepts; the caller hears music meanwhile. */
  #callNext(warm: Omit<WarmCall, 'to'>, queue: Queue, at: number): void {
    const { clock, guards, log } = this.#options;
    const { call, row, media, order } = warm;
    if (call.isOver) return;
    const to = queue.numbers[at % queue.numbers.length];
    if (to === undefined || clock.monotonic() >= queue.untilMs) {
      warm.transfer.end();
      void this.#agentAgain(call, row, media);
      return;
    }
    let hasGoneOn = false;
    const next = () => {
      if (hasGoneOn) return;
      hasGoneOn = true;
      clock.after(BETWEEN_CALLS_MS, () => this.#callNext(warm, queue, at + 1));
    };
    try {
      guards.checkTarget(to);
    } catch (error) {
      log.warn({ err: error, call: call.id }, 'a number of a queue cannot be called');
      next();
      return;
    }
    // The queue has the line until somebody accepts or its time is over.
    const transfer = { ...warm.transfer, end: () => undefined };
    this.#warm(call.scope, { ...warm, to, order: { ...order, to }, transfer }, next).catch(
      (error: unknown) => {
        log.warn({ err: error, call: call.id }, 'dialing a queue number failed');
        next();
      },
    );
  }

  /** Throws ApiError, and the call goes on. The call ends when this server connects it and `to` does not answer. */
  async forward(call: PhoneCall, to: string): Promise<void> {
    const nobody = () => call.end({ reason: 'failed', detail: 'nobody accepted the transfer' });
    if (call.transfers.whenGivenUp(nobody)) return;
    await this.#begin(call, to, (transfer) => this.#cold(call, to, transfer, nobody));
  }

  /**
   * The carrier connects both sides if its leg supports it, else this server calls `to` and bridges the two. The
   * target passes the same checks as a dial.
   */
  async #cold(call: PhoneCall, to: string, transfer: CallTransfer, nobody: () => void): Promise<void> {
    const { records, dispatcher, guards } = this.#options;
    const { scope, media } = call;
    const row = await records.find(scope, call.id);
    const leg = await call.leg;
    if (row === null || media === null || leg === null) throw notAnswered();
    guards.checkTarget(to);
    const number = await dispatcher.owned(scope, ownNumber(row));
    await guards.check(scope, number);
    // The trunk does not know where the telephones of this server are.
    if (leg.canTransfer === false || (await this.#options.isTelephone(scope, to))) {
      const plan = { call, media, to, briefing: null, over: transfer.end, nobody, agentToo: null };
      await this.#bridged(scope, row, number, plan);
    } else await this.#byCarrier(call, to);
  }

  async #byCarrier(call: PhoneCall, to: string): Promise<void> {
    const { storage, records, guards } = this.#options;
    const { scope } = call;
    await storage.transaction(
      async (trx) => {
        await guards.checkInClaim(trx, scope);
        await records.transferring(trx, scope, call.id);
      },
      { isolation: 'read committed' },
    );
    try {
      await call.transfer(to);
    } catch (error) {
      if (!(error instanceof CarrierError)) throw error;
      throw new ApiError('transfer_refused', `The carrier did not transfer the call: ${error.message}`, {
        param: 'to',
        cause: error,
      });
    }
  }

  async #warm(
    scope: TenantScope,
    { call, row, media, to, order, transfer }: WarmCall,
    nobody: () => void = () => void this.#agentAgain(call, row, media),
  ): Promise<void> {
    const { dispatcher, guards, speak } = this.#options;
    const number = await dispatcher.owned(scope, ownNumber(row));
    await guards.check(scope, number);
    const { accept, together } = phrasesOf(await this.#language(scope, row));
    const briefing = await speak(call, row.agent_id, `${order.briefing ?? ''} ${accept}`.trim());
    const listens = order.agent_listens === true;
    const agentToo = order.three_way === true ? agentIn(call, media, together, listens) : null;
    const left = listens ? () => void this.giveBack(call, media) : null;
    const plan = { call, media, to, briefing, over: transfer.end, nobody, agentToo, left };
    await this.#bridged(scope, row, number, plan);
  }

  async #bridged(
    scope: TenantScope,
    row: TelephonyCallRow,
    number: TelephonyNumberRow,
    order: Omit<WarmTransferOrder, 'waiting' | 'recorded' | 'denoise'>,
  ): Promise<void> {
    const { dispatcher, clock } = this.#options;
    const { call, to } = order;
    const recorded = await this.#mayRecord(scope, row, number);
    const denoised = (await this.#fields(scope, row))?.denoise ?? [];
    if (call.isOver) throw notAnswered();
    const denoise: WarmTransferOrder['denoise'] = (where, listener) =>
      denoised.includes(where) ? this.#options.denoise(ULAW, scope.environment, listener) : null;
    const plan = new WarmTransfer(clock, { ...order, waiting: this.#waiting, recorded, denoise });
    call.whenOver(() => plan.callerLeft());
    try {
      const second = await this.#claimed(scope, row, number, to);
      if (second === null) throw notAnswered();
      const settings = readSettings(number.settings);
      const person = await dispatcher.dial({ principal: call.principal, row: second, plan, settings });
      if (person !== null) plan.rings(person);
    } catch (error) {
      // The music has the line by now.
      plan.ended();
      throw error;
    }
  }

  async #claimed(
    scope: TenantScope,
    row: TelephonyCallRow,
    number: TelephonyNumberRow,
    to: string,
  ): Promise<TelephonyCallRow | null> {
    const { storage, records, guards } = this.#options;
    return await storage.transaction(
      async (trx) => {
        await guards.checkInClaim(trx, scope);
        const id = newId('tcl');
        await records.create(trx, scope, {
          id,
          call_id: row.call_id ?? callIdOf(row.id),
          key_id: row.key_id,
          carrier: row.carrier,
          direction: 'outbound',
          from_number: ownNumber(row),
          to_number: to,
          number_id: number.id,
          agent_id: null,
          campaign_id: null,
          state: 'queued',
          request: JSON.stringify({ webhook_url: readSettings(number.settings).webhook_url }),
          scheduled_at: null,
        });
        return await records.claim(trx, scope, id);
      },
      { isolation: 'read committed' },
    );
  }

  /**
   * A conversation without an agent has no transcript from which to redact personal data. So the call is not recorded
   * where its agent redacts.
   */
  async #mayRecord(scope: TenantScope, row: TelephonyCallRow, number: TelephonyNumberRow): Promise<boolean> {
    if (!readSettings(number.settings).record_after_transfer) return false;
    return !(await this.#options.redacts(scope, row.agent_id));
  }

  async #agentAgain(call: PhoneCall, row: TelephonyCallRow, media: CallMedia): Promise<void> {
    const { nobody } = phrasesOf(await this.#language(call.scope, row));
    await this.#resume(call, media, nobody, 'nobody accepted the transfer');
  }

  async #resume(call: PhoneCall, media: CallMedia, words: string, otherwise: string): Promise<void> {
    if (call.plan.resume !== undefined && !call.isOver) await call.plan.resume(call, media, words);
    else call.end({ reason: 'failed', detail: otherwise });
  }

  async #language(scope: TenantScope, row: TelephonyCallRow): Promise<string | null> {
    return (await this.#fields(scope, row))?.language ?? null;
  }

  async #fields(scope: TenantScope, row: TelephonyCallRow): Promise<Profile['fields'] | null> {
    const profile = await this.#options.profiles.profileFor(scope, row.agent_id, row.id).catch(() => null);
    return profile?.fields ?? null;
  }
}

function checkOrder({ kind, three_way: stays, agent_listens: listens }: TransferOrder): void {
  if (listens === true && stays !== true)
    throw new ApiError(
      'invalid_request',
      'agent_listens requires three_way, because the agent must stay on the call.',
      { param: 'agent_listens' },
    );
  if (stays === true && kind !== 'warm')
    throw new ApiError('invalid_request', 'three_way is only supported for warm transfers.', {
      param: 'three_way',
    });
}

const agentIn = (
  call: PhoneCall,
  media: CallMedia,
  greeting: string,
  listens: boolean,
): ((gone: () => void) => void) | null => {
  const { plan } = call;
  return plan instanceof AgentCallFlow
    ? (done) => void plan.takeAgent(call, media, greeting, { done, listens })
    : null;
};

const ownNumber = (row: TelephonyCallRow): string =>
  row.direction === 'inbound' ? row.to_number : row.from_number;

const notAnswered = (): ApiError =>
  new ApiError('call_not_live', 'The call is not answered yet, or has ended.', { param: 'call_id' });
