import type { Clock } from '../../platform/clock.ts';
import { CarrierFault, type IncomingCall, type LegEnd, type LegListener, type LegState } from '../door.ts';
import type { StreamDock } from '../streams/index.ts';
import { broughtEnd, type FarEnd, type FarEvents, playedEnd } from './far-end.ts';
import type { Scenario } from './scenario.ts';
import type { Sounds } from './sounds.ts';

/** Told the token for the far side's stream once the call is answered; null: it never was. */
export type Answered = (token: string | null) => void;

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
      .then(() => this.#state.kind === 'ringing' && this.#connect())
      .catch(failed);
  }

  /** The far side answers, or is answered. */
  #connect(): void {
    this.#stopTimer();
    const events: FarEvents = {
      answered: (media) => this.#become({ kind: 'answered', media }),
      key: (digit) => this.#listener?.key(digit),
      hungUp: () => this.#end({ reason: 'completed', by: 'them' }),
      closed: () => this.#end({ reason: 'completed', by: 'us' }),
      gone: (detail) => this.#end({ reason: 'failed', detail }),
    };
    this.#far =
      this.#answered === null
        ? playedEnd(this.#exchange, this.reference, this.#scenario, events)
        : broughtEnd(this.#exchange, this.#answered, events);
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
    const far = this.#far;
    this.#far = null;
    far?.stop();
    this.#answered?.(null);
    this.#exchange.ended(this);
    this.#listener?.state(this.#state);
  }
}
