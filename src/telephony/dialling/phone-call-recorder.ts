import type { CallRecorder } from '../../conversation/calls/index.ts';
import type { Principal } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';

export interface RecordedSegment {
  /** The frames were said `lateMs` ago. */
  write(side: 'caller' | 'other', frames: Uint8Array, lateMs: number): void;
  close(): Promise<void>;
}

export interface SegmentRecorder extends CallRecorder {
  /** The recording follows the agent's last sample; with null it starts now, in parallel to the agent's. */
  recordBridge(callId: string, afterMs: number | null): RecordedSegment;
}

/** The agent that has the call or had it last. `endedAt` is set when its recording has ended. */
interface Last {
  readonly callId: string;
  hasBegun: boolean;
  isPaused: boolean;
  endedAt: number | null;
}

type State =
  | { readonly kind: 'agents' }
  /** A three-way call of an agent with two people. `talk` is null while it is not recorded. */
  | { readonly kind: 'three'; readonly talk: RecordedSegment | null }
  /** Two people talk without an agent, and are not recorded yet or at all. */
  | { readonly kind: 'people' }
  | { readonly kind: 'recording'; readonly talk: RecordedSegment }
  | { readonly kind: 'over' };

/**
 * The recordings of one telephone call. Each agent's recording stays open until the call ends, because the
 * conversation of people after the agent is appended to the last one.
 */
export class PhoneCallRecorder implements CallRecorder {
  readonly #recorder: SegmentRecorder;
  readonly #clock: Clock;
  readonly #ended: { readonly callId: string; readonly segment: number | undefined }[] = [];
  readonly #closing: Promise<void>[] = [];
  #last: Last | null = null;
  #state: State = { kind: 'agents' };
  #recordsFrom = Number.NEGATIVE_INFINITY;

  constructor(recorder: SegmentRecorder, clock: Clock) {
    this.#recorder = recorder;
    this.#clock = clock;
  }

  path(callId: string, segment?: number): string {
    return this.#recorder.path(callId, segment);
  }

  open(callId: string, principal: Principal, externalId: string | null, segment?: number): Promise<void> {
    this.#last = { callId, hasBegun: false, isPaused: false, endedAt: null };
    return this.#recorder.open(callId, principal, externalId, segment);
  }

  resumed(callId: string): Promise<{ readonly isPaused: boolean } | null> {
    return this.#recorder.resumed(callId);
  }

  began(callId: string, atMs: number): void {
    if (this.#last?.callId === callId) this.#last.hasBegun = true;
    this.#recorder.began(callId, atMs);
    if (this.#state.kind === 'three' && this.#last?.callId === callId)
      this.#state = { kind: 'three', talk: this.#record(callId, null) };
  }

  failed(callId: string): void {
    if (this.#last?.callId === callId) this.#last.hasBegun = false;
    this.#recorder.failed(callId);
  }

  paused(callId: string, on: boolean): void {
    if (this.#last?.callId === callId) this.#last.isPaused = on;
    if (!on) this.#recordsFrom = this.#clock.monotonic();
    this.#recorder.paused(callId, on);
  }

  closed(callId: string, segment?: number): void {
    if (this.#last?.callId === callId) {
      this.#last.endedAt = this.#clock.monotonic();
      this.#closeConcurrently();
    }
    if (this.#state.kind === 'over') this.#recorder.closed(callId, segment);
    else this.#ended.push({ callId, segment });
    this.#goOn();
  }

  finish(callId: string): Promise<void> {
    return this.#recorder.finish(callId);
  }

  /** Two people talk without an agent from now on. They are recorded if the agent was being recorded when it left. */
  people(): void {
    this.agentAlone();
    if (this.#state.kind !== 'agents') return;
    this.#state = { kind: 'people' };
    this.#goOn();
  }

  three(): void {
    if (this.#state.kind === 'agents') this.#state = { kind: 'three', talk: null };
  }

  agentAlone(): void {
    this.#closeConcurrently();
    if (this.#state.kind === 'three') this.#state = { kind: 'agents' };
  }

  /** The recording has nothing that was said before it began or went on, however late that comes. */
  heard(side: 'caller' | 'other', frames: Uint8Array, lateMs = 0): void {
    const state = this.#state;
    if (this.#clock.monotonic() - lateMs < this.#recordsFrom) return;
    if (state.kind === 'recording') state.talk.write(side, frames, lateMs);
    else if (state.kind === 'three' && this.#last?.isPaused === false)
      state.talk?.write(side, frames, lateMs);
  }

  async over(): Promise<void> {
    this.agentAlone();
    const state = this.#state;
    this.#state = { kind: 'over' };
    if (state.kind === 'recording') this.#closing.push(state.talk.close());
    await Promise.all(this.#closing);
    for (const { callId, segment } of this.#ended.splice(0)) this.#recorder.closed(callId, segment);
  }

  #closeConcurrently(): void {
    if (this.#state.kind !== 'three' || this.#state.talk === null) return;
    this.#closing.push(this.#state.talk.close());
    this.#state = { kind: 'three', talk: null };
  }

  #record(callId: string, afterMs: number | null): RecordedSegment {
    this.#recordsFrom = this.#clock.monotonic();
    return this.#recorder.recordBridge(callId, afterMs);
  }

  #goOn(): void {
    const last = this.#last;
    if (this.#state.kind !== 'people' || last === null || last.endedAt === null) return;
    if (!last.hasBegun || last.isPaused) return;
    const afterMs = Math.round(this.#clock.monotonic() - last.endedAt);
    this.#state = { kind: 'recording', talk: this.#record(last.callId, afterMs) };
  }
}
