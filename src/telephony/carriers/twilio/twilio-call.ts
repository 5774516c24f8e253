import type { Clock } from '../../../foundation/platform/clock.ts';
import {
  CarrierError,
  type IncomingCall,
  type LegEnd,
  type LegListener,
  type LegState,
  type RejectReason,
} from '../contract.ts';
import type { PendingStreams } from '../streams/index.ts';
import { CallStreams } from './call-streams.ts';
import { connectStream, dial, playKeys, reject } from './markup.ts';
import type { TwilioRest } from './rest.ts';

export interface TwilioExchange {
  readonly clock: Clock;
  readonly dock: PendingStreams;
  readonly rest: TwilioRest;
  readonly streamUrl: () => string;
  readonly ended: (call: TwilioCall) => void;
}

export interface TwilioParties {
  readonly from: string;
  readonly to: string;
}

const LONGEST_DIAL_S = 86_400;

const ENDS: Readonly<Record<string, LegEnd>> = {
  busy: { reason: 'busy' },
  'no-answer': { reason: 'no_answer' },
  canceled: { reason: 'canceled' },
  failed: { reason: 'failed', detail: 'the carrier could not place the call' },
};

/**
 * One call at the carrier. Its status callbacks may repeat and arrive in any order; its audio comes over media
 * streams.
 */
export class TwilioCall implements IncomingCall {
  reference = '';
  readonly from: string;
  readonly to: string;
  readonly #exchange: TwilioExchange;
  readonly #listener: LegListener;
  readonly #streams: CallStreams;
  #state: LegState = { kind: 'dialing' };
  #hungUp = false;
  /** The carrier connects the other side elsewhere: the end of a stream no longer ends the call. */
  #handedOn = false;
  #respond: ((markup: string) => void) | null = null;

  constructor(exchange: TwilioExchange, { from, to }: TwilioParties, listener: LegListener) {
    this.#exchange = exchange;
    this.from = from;
    this.to = to;
    this.#listener = listener;
    this.#streams = new CallStreams({
      clock: exchange.clock,
      dock: exchange.dock,
      began: (media) => this.#become({ kind: 'answered', media }),
      key: (digit) => this.#listener.key(digit),
      over: () => {
        if (!this.#handedOn) this.#end(this.#completed());
      },
    });
  }

  get state(): LegState {
    return this.#state;
  }

  markup(): string {
    return connectStream(this.#exchange.streamUrl(), this.#streams.expect());
  }

  rings(reference: string, respond: (markup: string) => void): void {
    this.reference = reference;
    this.#respond = respond;
    this.#state = { kind: 'ringing', early: null };
  }

  onStatus(status: string): void {
    if (status === 'ringing' && this.#state.kind === 'dialing')
      this.#become({ kind: 'ringing', early: null });
    const end = ENDS[status];
    if (status === 'completed' || (end !== undefined && this.#streams.leg !== null))
      this.#end(this.#completed());
    else if (end !== undefined) this.#end(end);
  }

  async answer(): Promise<void> {
    this.#respond?.(this.markup());
    this.#respond = null;
  }

  async reject(reason: RejectReason): Promise<void> {
    if (this.#respond === null) return;
    const said = reason === 'busy' ? reason : 'rejected';
    this.#respond(reject(said));
    this.#respond = null;
    this.#end({ reason: said });
  }

  async hangUp(): Promise<void> {
    if (this.#state.kind === 'ended') return;
    if (this.#respond !== null) return await this.reject('busy');
    this.#hungUp = true;
    const answered = this.#streams.leg !== null;
    await this.#update({ Status: answered ? 'completed' : 'canceled' });
    this.#end(answered ? { reason: 'completed', by: 'us' } : { reason: 'canceled' });
  }

  async sendKeys(digits: string): Promise<void> {
    if (this.#state.kind !== 'answered') return;
    await this.#update({ Twiml: playKeys(digits, this.#exchange.streamUrl(), this.#streams.expect()) });
  }

  async hold(on: boolean): Promise<void> {
    if (on) this.#streams.leg?.clear();
  }

  async transfer(to: string, limitMs: number): Promise<void> {
    if (this.#state.kind !== 'answered') throw new CarrierError('refused', 'the call is not answered');
    const limitS = Math.min(LONGEST_DIAL_S, Math.max(1, Math.floor(limitMs / 1000)));
    this.#handedOn = true;
    try {
      await this.#update({ Twiml: dial(to, limitS) });
    } catch (error) {
      // An unclear failure may have transferred the call; the status callback then reports its end.
      this.#handedOn = error instanceof CarrierError && error.kind === 'unclear';
      throw error;
    }
    this.#become({ kind: 'transferred' });
  }

  #completed(): LegEnd {
    if (this.#streams.leg === null) return this.#hungUp ? { reason: 'canceled' } : { reason: 'rejected' };
    return { reason: 'completed', by: this.#hungUp ? 'us' : 'them' };
  }

  #become(state: LegState): void {
    if (this.#state.kind === 'ended') return;
    this.#state = state;
    this.#listener.state(state);
  }

  #end(end: LegEnd): void {
    if (this.#state.kind === 'ended') return;
    this.#state = { kind: 'ended', end };
    this.#streams.close();
    this.#exchange.ended(this);
    this.#listener.state(this.#state);
  }

  async #update(form: Readonly<Record<string, string>>): Promise<void> {
    await this.#exchange.rest.post(`Calls/${this.reference}.json`, form);
  }
}
