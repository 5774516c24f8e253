import type { Clock } from '../../platform/clock.ts';
import { CarrierFault, type IncomingCall, type LegEnd, type LegListener, type LegState } from '../door.ts';
import type { StreamDock } from '../streams/index.ts';
import { FarSide } from './far-side.ts';
import { FarStream } from './far-stream.ts';
import type { Scenario } from './scenario.ts';
import type { Sounds } from './sounds.ts';

/** Told the token for the far side's stream once the call is answered; null: it never was. */
export type Answered = (token: string | null) => void;

/** The end of the line that is not this server's. */
interface FarEnd {
  key(digit: string): void;
  mute(on: boolean): void;
  stop(): void;
}

/** What the calls of one network share. */
export interface Exchange {
  readonly clock: Clock;
  readonly dock: StreamDock;
  readonly sounds: Sounds;
  readonly streamUrl: () => string;
  readonly scenarioOf: (number: string) => Scenario | null;
  /** The sounds of the far side could not be made. */
  readonly failed: (error: unknown) => void;
  readonly ended: (call: LoopbackCall) => void;
}

export interface Parties {
  readonly reference: string;
  readonly from: string;
  readonly to: string;
}

const SET_UP_MS = 100;
const RING_MS = 1_000;
const PAUSE_OF_W_MS = 500;
const BRINGS_WITHIN_MS = 10_000;

/** One call of the loopback network: its states by the clock, its sound over a media stream. */
export class LoopbackCall implements IncomingCall {
  readonly reference: string;
  readonly from: string;
  readonly to: string;
  readonly #exchange: Exchange;
  readonly #scenario: Scenario;
  #state: LegState = { kind: 'dialing' };
  #listener: LegListener | null = null;
  #stopTimer: () => void = () => undefined;
  #token: string | null = null;
  readonly #answered: Answered | null;
  #far: FarEnd | null = null;

  /** `answered`: whoever calls brings the sound of the far side, in the place of the scenario. */
  constructor(exchange: Exchange, parties: Parties, scenario: Scenario, answered: Answered | null = null) {
    this.#exchange = exchange;
    this.reference = parties.reference;
    this.from = parties.from;
    this.to = parties.to;
    this.#scenario = scenario;
    this.#answered = answered;
  }

  get state(): LegState {
    return this.#state;
  }

  /** This server calls the far side. */
  dial(listener: LegListener, ringMs: number): void {
    this.#listener = listener;
    const { outcome = 'answer', ring_ms = RING_MS } = this.#scenario;
    this.#after(SET_UP_MS, () => {
      if (outcome === 'busy') return this.#end({ reason: 'busy' });
      if (outcome === 'failed')
        return this.#end({ reason: 'failed', detail: 'the network refused the call' });
      this.#become({ kind: 'ringing', early: null });
      if (outcome === 'no_answer' || ring_ms > ringMs) {
        this.#after(ringMs, () => this.#end({ reason: 'no_answer' }));
      } else if (outcome === 'rejected') this.#after(ring_ms, () => this.#end({ reason: 'rejected' }));
      else this.#after(ring_ms, () => this.#pickUp());
    });
  }

  /** The far side calls this server. */
  ring(listener: LegListener, ringMs: number): void {
    this.#listener = listener;
    this.#state = { kind: 'ringing', early: null };
    this.#after(ringMs, () => this.#end({ reason: 'no_answer' }));
  }

  async answer(): Promise<void> {
    if (this.#state.kind !== 'ringing') return;
    this.#stopTimer();
    this.#pickUp();
  }

  async reject(reason: 'busy' | 'rejected'): Promise<void> {
    if (this.#state.kind === 'ringing') this.#end({ reason });
  }

  async hangUp(): Promise<void> {
    const answered = this.#state.kind === 'answered';
    this.#end(answered ? { reason: 'completed', by: 'us' } : { reason: 'canceled' });
  }

  async sendKeys(digits: string): Promise<void> {
    let at = 0;
    for (const digit of digits) {
      if (digit === 'w') at += PAUSE_OF_W_MS;
      else this.#exchange.clock.after(at, () => this.#far?.key(digit));
    }
  }

  async hold(on: boolean): Promise<void> {
    this.#far?.mute(on);
  }

  async transfer(to: string): Promise<void> {
    if (this.#state.kind !== 'answered') throw new CarrierFault('refused', 'the call is not answered');
    const { outcome = 'answer' } = this.#exchange.scenarioOf(to) ?? { outcome: 'failed' as const };
    if (outcome !== 'answer') throw new CarrierFault('refused', `${to} did not take the call: ${outcome}`);
    this.#exchange.clock.after(SET_UP_MS, () => this.#end({ reason: 'completed', by: 'them' }));
  }

  #pickUp(): void {
    const { sounds, failed } = this.#exchange;
    sounds
      .prepare(this.#scenario)
      .catch(failed)
      .then(
        () => this.#state.kind === 'ringing' && (this.#answered === null ? this.#connect() : this.#await()),
      )
      .catch(failed);
  }

  /** The far side answers, or is answered: its media stream comes to this server. */
  #connect(): void {
    const { clock, dock, sounds, streamUrl } = this.#exchange;
    const { loss = 0, jitter_ms: jitterMs = 0, hang_up_after_ms: hangsUpAfter, echo = null } = this.#scenario;
    const theyHangUp = () => this.#end({ reason: 'completed', by: 'them' });
    const token = dock.expect({
      started: (media) => {
        this.#become({ kind: 'answered', media });
        if (hangsUpAfter !== undefined) this.#after(hangsUpAfter, theyHangUp);
        side.run().catch((error: unknown) => this.#exchange.failed(error));
      },
      key: (digit) => this.#listener?.key(digit),
      over: () => this.#end({ reason: 'completed', by: 'us' }),
    });
    this.#token = token;
    const quality = { loss, jitterMs };
    const gone = () => this.#end({ reason: 'failed', detail: 'the media stream could not be kept' });
    const url = streamUrl();
    const stream = new FarStream({ clock, url, token, callSid: this.reference, quality, echo, gone });
    const side = new FarSide({
      clock,
      audio: stream.audio,
      sounds,
      scenario: this.#scenario,
      press: (digit) => stream.press(digit),
      hangUp: theyHangUp,
    });
    this.#far = {
      key: (digit) => side.key(digit),
      mute: (on) => stream.audio.mute(on),
      stop: () => {
        side.stop();
        stream.stop();
      },
    };
  }

  /** Whoever calls brings a media stream, and hangs up by its end. */
  #await(): void {
    const nothing = () => undefined;
    const token = this.#exchange.dock.expect({
      started: (media) => {
        this.#stopTimer();
        this.#far = { key: nothing, mute: nothing, stop: () => media.end() };
        this.#become({ kind: 'answered', media });
      },
      key: (digit) => this.#listener?.key(digit),
      over: () => this.#end({ reason: 'completed', by: 'them' }),
    });
    this.#token = token;
    this.#after(BRINGS_WITHIN_MS, () => this.#end({ reason: 'failed', detail: 'nobody brought the sound' }));
    this.#answered?.(token);
  }

  #after(ms: number, task: () => void): void {
    this.#stopTimer = this.#exchange.clock.after(ms, task);
  }

  #become(state: LegState): void {
    if (this.#state.kind === 'ended') return;
    this.#state = state;
    this.#listener?.state(state);
  }

  #end(end: LegEnd): void {
    if (this.#state.kind === 'ended') return;
    this.#stopTimer();
    this.#state = { kind: 'ended', end };
    if (this.#token !== null) this.#exchange.dock.forget(this.#token);
    const far = this.#far;
    this.#far = null;
    far?.stop();
    this.#answered?.(null);
    this.#exchange.ended(this);
    this.#listener?.state(this.#state);
  }
}
