import type { CallRecorder } from '../../conversation/calls/index.ts';
import type { Principal } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';

/** Two people who are recorded without an agent. */
export interface RecordedSegment {
  write(side: 'caller' | 'other', frames: Uint8Array): void;
  close(): Promise<void>;
}

/** Who keeps the recordings of calls that may go on without their agent. */
export interface SegmentRecorder extends CallRecorder {
  /** The recording follows the agent's last sample; with null it starts now, in parallel to the agent's. */
  recordBridge(callId: string, afterMs: number | null): RecordedSegment;
}

/** The agent that has the call, or had it last; `endedAt`: its sound is written. */
interface Last {
  readonly callId: string;
  hasBegun: boolean;
  isPaused: boolean;
  endedAt: number | null;
}

type State =
  | { readonly kind: 'agents' }
  /** The agent that comes talks with two people; null: it is not recorded yet, or not any more. */
  | { readonly kind: 'three'; readonly talk: RecordedSegment | null }
  /** People talk here; nobody is recorded yet, or at all. */
  | { readonly kind: 'people' }
  | { readonly kind: 'recording'; readonly talk: RecordedSegment }
  | { readonly kind: 'over' };

/** The recordings of one telephone call: each agent's stays open until the call is over, for people who talk on here are recorded behind the last. */
export class PhoneCallRecorder implements CallRecorder {
  readonly #recorder: SegmentRecorder;
  readonly #clock: Clock;
  readonly #ended: string[] = [];
  readonly #closing: Promise<void>[] = [];
  #last: Last | null = null;
  #state: State = { kind: 'agents' };

  constructor(recorder: SegmentRecorder, clock: Clock) {
    this.#recorder = recorder;
    this.#clock = clock;
  }

  path(callId: string): string {
    return this.#recorder.path(callId);
  }

  open(callId: string, principal: Principal, externalId: string | null): Promise<void> {
    this.#last = { callId, hasBegun: false, isPaused: false, endedAt: null };
    return this.#recorder.open(callId, principal, externalId);
  }

  began(callId: string, atMs: number): void {
    if (this.#last?.callId === callId) this.#last.hasBegun = true;
    this.#recorder.began(callId, atMs);
    if (this.#state.kind === 'three' && this.#last?.callId === callId)
      this.#state = { kind: 'three', talk: this.#recorder.recordBridge(callId, null) };
  }

  failed(callId: string): void {
    if (this.#last?.callId === callId) this.#last.hasBegun = false;
    this.#recorder.failed(callId);
  }

  paused(callId: string, on: boolean): void {
    if (this.#last?.callId === callId) this.#last.isPaused = on;
  }

  closed(callId: string): void {
    if (this.#last?.callId === callId) {
      this.#last.endedAt = this.#clock.monotonic();
      this.#closeConcurrently();
    }
    if (this.#state.kind === 'over') this.#recorder.closed(callId);
    else this.#ended.push(callId);
    this.#goOn();
  }

  finish(callId: string): Promise<void> {
    return this.#recorder.finish(callId);
  }

  /** Two people talk here from now on: they are recorded where the agent was recorded when it left. */
  people(): void {
    this.agentAlone();
    if (this.#state.kind !== 'agents') return;
    this.#state = { kind: 'people' };
    this.#goOn();
  }

  /** The agent that comes talks with two people, each of whom is recorded by themselves. */
  three(): void {
    if (this.#state.kind === 'agents') this.#state = { kind: 'three', talk: null };
  }

  /** Its third has left. */
  agentAlone(): void {
    this.#closeConcurrently();
    if (this.#state.kind === 'three') this.#state = { kind: 'agents' };
  }

  heard(side: 'caller' | 'other', frames: Uint8Array): void {
    const state = this.#state;
    if (state.kind === 'recording') state.talk.write(side, frames);
    else if (state.kind === 'three' && this.#last?.isPaused === false) state.talk?.write(side, frames);
  }

  /** The call is over. */
  async over(): Promise<void> {
    this.agentAlone();
    const state = this.#state;
    this.#state = { kind: 'over' };
    if (state.kind === 'recording') this.#closing.push(state.talk.close());
    await Promise.all(this.#closing);
    for (const callId of this.#ended.splice(0)) this.#recorder.closed(callId);
  }

  #closeConcurrently(): void {
    if (this.#state.kind !== 'three' || this.#state.talk === null) return;
    this.#closing.push(this.#state.talk.close());
    this.#state = { kind: 'three', talk: null };
  }

  #goOn(): void {
    const last = this.#last;
    if (this.#state.kind !== 'people' || last === null || last.endedAt === null) return;
    if (!last.hasBegun || last.isPaused) return;
    const afterMs = Math.round(this.#clock.monotonic() - last.endedAt);
    this.#state = { kind: 'recording', talk: this.#recorder.recordBridge(last.callId, afterMs) };
  }
}
