import type {
  LaneEvent,
  PlayedSegment,
  SpeakOptions,
  VoiceLane,
} from '../../../src/conversation/session/index.ts';
import type { ManualClock } from '../../foundation/platform/manual-clock.ts';

export const TICK_MS = 50;
const MS_PER_CHARACTER = 20;
const SYNTHESIS_MS = 150;

interface Segment {
  readonly speech: number;
  readonly number: number;
  readonly text: string;
  readonly totalMs: number;
  readonly readyAt: number;
  readonly yields: boolean;
  held: boolean;
  announced: boolean;
  playedMs: number;
}

/**
 * A lane that plays in virtual time by the rules of the engine's playout: speeches play in the order in which they
 * were queued, `interrupt` empties the queue, and every event is delivered one tick after it happened.
 */
export class TimedLane implements VoiceLane {
  emit: (event: LaneEvent) => void = () => undefined;
  /** The lane names what a session must never do to it. */
  readonly faults: string[] = [];
  readonly texts = new Map<number, string[]>();
  callerSpeaks = false;
  isMute = false;
  isClosed = false;
  lastSoundMs = 0;
  readonly #clock: ManualClock;
  readonly #beganAt: number;
  #queue: Segment[] = [];
  #events: LaneEvent[] = [];
  readonly #finished = new Set<number>();
  readonly #over = new Set<number>();

  constructor(clock: ManualClock) {
    this.#clock = clock;
    this.#beganAt = clock.monotonic();
  }

  get atMs(): number {
    return this.#clock.monotonic() - this.#beganAt;
  }

  get playing(): number | null {
    const front = this.#queue[0];
    return front?.announced === true ? front.speech : null;
  }

  push(): boolean {
    return true;
  }

  speak(speech: number, segment: number, text: string, { held, yields }: SpeakOptions): void {
    this.#expectOpen(`speak ${speech}`);
    const texts = this.texts.get(speech) ?? [];
    if (texts.length !== segment) this.faults.push(`segment ${segment} of ${speech} follows ${texts.length}`);
    texts.push(text);
    this.texts.set(speech, texts);
    if (this.#over.has(speech)) return;
    const readyAt = this.isMute ? Number.POSITIVE_INFINITY : this.atMs + SYNTHESIS_MS;
    const totalMs = Math.max(TICK_MS, text.length * MS_PER_CHARACTER);
    const state = { held, announced: false, playedMs: 0 };
    this.#queue.push({ speech, number: segment, text, totalMs, readyAt, yields, ...state });
    this.#expectOneVoice();
  }

  finish(speech: number): void {
    this.#expectOpen(`finish ${speech}`);
    this.#finished.add(speech);
  }

  release(speech: number): void {
    this.#expectOpen(`release ${speech}`);
    for (const segment of this.#queue) if (segment.speech === speech) segment.held = false;
    this.#expectOneVoice();
  }

  discard(speech: number): void {
    this.#over.add(speech);
    this.#queue = this.#queue.filter((segment) => segment.speech !== speech);
  }

  stopPlayback(): void {
    this.#expectOpen('stop');
    this.#interrupt('command');
  }

  setVoice(): void {
    this.#expectOpen('voice');
  }

  setLanguage(): void {
    this.#expectOpen('language');
  }

  setExpectedAnswer(): void {
    this.#expectOpen('expected answer');
  }

  close(): void {
    this.#expectOpen('close');
    this.isClosed = true;
    this.#events = [];
  }

  bargeIn(): void {
    if (this.playing !== null && this.callerSpeaks) this.#interrupt('barge_in');
  }

  tick(): void {
    if (this.isClosed) return;
    for (const event of this.#events.splice(0)) if (!this.isClosed) this.emit(event);
    if (this.isClosed) return;
    const [front] = this.#queue;
    if (front !== undefined) this.#retire(front.speech);
    this.#play();
  }

  #play(): void {
    const front = this.#queue.find(({ playedMs, totalMs }) => playedMs < totalMs);
    if (front === undefined || front.held || front.readyAt > this.atMs) return;
    if (front.yields && this.callerSpeaks && this.playing === null) return;
    const { speech, number: segment } = front;
    if (!front.announced) {
      front.announced = true;
      this.#events.push({ kind: 'playing', speech, segment, atMs: this.atMs });
    }
    front.playedMs = Math.min(front.totalMs, front.playedMs + TICK_MS);
    this.lastSoundMs = this.atMs;
    this.#events.push({ kind: 'audio', pcm: new Uint8Array(2) });
    this.#retire(speech);
  }

  #retire(speech: number): void {
    const own = this.#queue.filter((segment) => segment.speech === speech);
    const isPlayed = own.every(({ playedMs, totalMs }) => playedMs >= totalMs);
    if (!isPlayed || !this.#finished.has(speech)) return;
    this.#queue = this.#queue.filter((segment) => segment.speech !== speech);
    this.#over.add(speech);
    this.#events.push({ kind: 'speech_played', speech, segments: own.map(played) });
  }

  #interrupt(reason: 'barge_in' | 'command'): void {
    const front = this.#queue[0];
    const queue = this.#queue;
    this.#queue = [];
    if (front === undefined) return;
    const { speech } = front;
    for (const segment of queue) this.#over.add(segment.speech);
    const segments = queue.filter((segment) => segment.speech === speech).map(played);
    const playedMs = segments.reduce((sum, one) => sum + one.playedMs, 0);
    this.#events.push({ kind: 'speech_interrupted', speech, reason, playedMs, segments });
  }

  /** A speech that was played to its end may wait for its finish; every other one would sound. */
  #expectOneVoice(): void {
    const speeches = new Set(this.#queue.filter(({ held }) => !held).map(({ speech }) => speech));
    if (speeches.size > 1) this.faults.push(`the agent speaks ${[...speeches].join(' and ')} at once`);
  }

  #expectOpen(what: string): void {
    if (this.isClosed) this.faults.push(`${what} after the lane was closed`);
  }
}

const played = ({ number, playedMs, totalMs, readyAt }: Segment): PlayedSegment => ({
  segment: number,
  playedMs,
  totalMs,
  complete: readyAt !== Number.POSITIVE_INFINITY,
});
