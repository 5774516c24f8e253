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
import { type FarEnd, type FarEvents, playedEnd, transferredEnd } from './far-end.ts';
import type { Scenario } from './scenario.ts';
import type { ScenarioSounds } from './scenario-sounds.ts';

export interface FarEndConnector {
  meet(events: FarEvents): FarEnd;
  over(end: LegEnd): void;
}

export interface LoopbackExchange {
  readonly clock: Clock;
  readonly dock: PendingStreams;
  readonly sounds: ScenarioSounds;
  readonly streamUrl: () => string;
  readonly scenarioOf: (number: string) => Scenario | null;
  readonly ringHere: (
    parties: Omit<LoopbackParties, 'reference'>,
    other: FarEndConnector,
  ) => LoopbackCall | null;
  readonly failed: (error: unknown) => void;
  readonly ended: (call: LoopbackCall) => void;
}

export interface LoopbackParties {
  readonly reference: string;
  readonly from: string;
  readonly to: string;
  readonly hops?: number;
}

/** The limit ends a loop of numbers that forward to each other. */
const MAX_HOPS = 5;
const SET_UP_MS = 100;
const RING_MS = 1_000;
const PAUSE_OF_W_MS = 500;

export class LoopbackCall implements IncomingCall {
  readonly reference: string;
  readonly from: string;
  readonly to: string;
  readonly #exchange: LoopbackExchange;
  readonly #scenario: Scenario;
  state: LegState = { kind: 'dialing' };
  #listener: LegListener | null = null;
  #stopTimer: () => void = () => undefined;
  readonly #other: FarEndConnector | null;
  #far: FarEnd | null = null;
  readonly #hops: number;
  #isIncoming = false;
  #target: LoopbackCall | null = null;

  constructor(
    exchange: LoopbackExchange,
    parties: LoopbackParties,
    scenario: Scenario,
    other: FarEndConnector | null = null,
  ) {
    this.#exchange = exchange;
    this.reference = parties.reference;
    this.from = parties.from;
    this.to = parties.to;
    this.#scenario = scenario;
    this.#other = other;
    this.#hops = parties.hops ?? 0;
  }

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

  ring(listener: LegListener, ringMs: number): void {
    this.#listener = listener;
    this.#isIncoming = true;
    this.state = { kind: 'ringing', early: null };
    this.#after(ringMs, () => this.#end({ reason: 'no_answer' }));
  }

  async answer(): Promise<void> {
    if (this.state.kind !== 'ringing') return;
    this.#stopTimer();
    this.#pickUp();
  }

  async reject(reason: RejectReason): Promise<void> {
    if (this.state.kind !== 'ringing') return;
    if (reason !== 'unknown') this.#end({ reason });
    else this.#end({ reason: 'failed', detail: `${this.to} is not assigned on the loopback network` });
  }

  async hangUp(): Promise<void> {
    const answered = this.#wasAnswered;
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

  async transfer(to: string, limitMs: number): Promise<void> {
    if (this.state.kind !== 'answered' || this.#far === null)
      throw new CarrierError('refused', 'the call is not answered');
    const scenario = this.#exchange.scenarioOf(to);
    if (scenario === null) return await this.#transferHere(to, limitMs, this.#far);
    const { outcome = 'answer' } = scenario;
    if (outcome !== 'answer') throw new CarrierError('refused', `${to} did not answer the call: ${outcome}`);
    this.#exchange.clock.after(SET_UP_MS, () => this.#end({ reason: 'completed', by: 'them' }));
  }

  #transferHere(to: string, limitMs: number, far: FarEnd): Promise<void> {
    const from = this.#isIncoming ? this.from : this.to;
    return new Promise((resolve, reject) => {
      const refuse = (why: string) =>
        reject(new CarrierError('refused', `${to} did not answer the call: ${why}`));
      const other: FarEndConnector = {
        meet: (events) => {
          this.#become({ kind: 'transferred' });
          this.#after(limitMs, () => this.#end({ reason: 'completed', by: 'us' }));
          resolve();
          return transferredEnd(this.#exchange, { callSid: this.#target?.reference ?? '', events }, far);
        },
        over: (end) => {
          this.#target = null;
          if (this.state.kind === 'transferred') this.left(end);
          else refuse(end.reason === 'failed' ? end.detail : end.reason);
        },
      };
      if (this.#hops === MAX_HOPS) return refuse('the call was transferred too often');
      if (this.#target !== null) return refuse('another transfer is in progress');
      this.#target = this.#exchange.ringHere({ from, to, hops: this.#hops + 1 }, other);
      if (this.#target === null) refuse(`no number ${to} on the loopback network`);
    });
  }

  get #wasAnswered(): boolean {
    return this.state.kind === 'answered' || this.state.kind === 'transferred';
  }

  #pickUp(): void {
    const { sounds, failed } = this.#exchange;
    sounds
      .prepare(this.#scenario)
      .catch(failed)
      .then(() => {
        if (this.state.kind === 'ringing')
          this.meets((events) =>
            this.#other === null
              ? playedEnd(this.#exchange, this.reference, this.#scenario, events)
              : this.#other.meet(events),
          );
      })
      .catch(failed);
  }

  meets(meet: (events: FarEvents) => FarEnd): void {
    this.#stopTimer();
    this.#far = meet({
      answered: (media) => this.#become({ kind: 'answered', media }),
      key: (digit) => this.#listener?.key(digit),
      hungUp: () => this.#end({ reason: 'completed', by: 'them' }),
      closed: () => this.#end({ reason: 'completed', by: 'us' }),
      gone: (detail) => this.#end({ reason: 'failed', detail }),
    });
  }

  left(theirs: LegEnd): void {
    const answered = theirs.reason === 'completed' || this.#wasAnswered;
    this.#end(answered ? { reason: 'completed', by: 'them' } : theirs);
  }

  #after(ms: number, task: () => void): void {
    this.#stopTimer = this.#exchange.clock.after(ms, task);
  }

  #become(state: LegState): void {
    if (this.state.kind === 'ended') return;
    this.state = state;
    this.#listener?.state(state);
  }

  #end(end: LegEnd): void {
    if (this.state.kind === 'ended') return;
    this.#stopTimer();
    this.state = { kind: 'ended', end };
    const far = this.#far;
    this.#far = null;
    far?.stop();
    this.#exchange.ended(this);
    this.#listener?.state(this.state);
    this.#other?.over(end);
    this.#target?.left({ reason: 'canceled' });
  }
}
