import { LINE_RATE, levelOf } from './line-audio.ts';

/** A stretch of sound as it was heard. */
export interface PlayedAudio {
  readonly at: number;
  readonly samples: Int16Array;
}

/** A moment within a speech at which nothing was there to be played: the next frame was late. */
export interface PlayoutGap {
  readonly at: number;
  readonly ms: number;
  /** In the middle of sound, or so long that a caller hears it wherever it falls; a shorter one between two clauses only
   * makes their pause longer. */
  readonly inSound: boolean;
}

const AUDIBLE_DBFS = -50;
/** A pause that is longer by this is no pause of a speaker's any more. */
const STALL_MS = 200;
/** Whoever is late by less than a sample is in time: playout knows nothing shorter. */
const SAMPLE_MS = 1000 / LINE_RATE;

/** A client's playout buffer on its own clock: what the caller hears, and when. A speech is played `delayMs` after its first
 * frame has come, so that frames that are late by less are heard in time, as a gateway or a browser does it. */
export class PlayoutBuffer {
  readonly heard: PlayedAudio[] = [];
  readonly breaks: PlayoutGap[] = [];
  readonly delayMs: number;
  #queue: PlayedAudio[] = [];
  /** The playout time of the next audio. */
  #next = 0;
  /** Nothing of the present speech has come yet. */
  #fresh = true;

  constructor(delayMs = 0) {
    this.delayMs = delayMs;
  }

  /** A frame came at `now` (ms); it plays behind what waits, or at once. */
  take(samples: Int16Array, now: number): void {
    this.advance(now);
    const late = now - this.#next;
    if (this.#fresh) this.#next = Math.max(this.#next, now + this.delayMs);
    else if (late >= SAMPLE_MS) this.#broke(late, samples, now);
    this.#fresh = false;
    this.#queue.push({ samples, at: this.#next });
    this.#next += lengthOf(samples);
  }

  /** The server says that the agent has said all of a speech: what comes next is another one, however late. */
  speechEnds(): void {
    this.#fresh = true;
  }

  #broke(ms: number, next: Int16Array, now: number): void {
    const before = this.heard.at(-1)?.samples ?? next;
    const inSound = ms >= STALL_MS || (levelOf(before) >= AUDIBLE_DBFS && levelOf(next) >= AUDIBLE_DBFS);
    this.breaks.push({ at: now, ms, inSound });
    this.#next = now;
  }

  /** Marks the audio until `now` as played. */
  advance(now: number): void {
    for (
      let first = this.#queue[0];
      first !== undefined && first.at + lengthOf(first.samples) <= now;
      first = this.#queue[0]
    ) {
      this.heard.push(first);
      this.#queue.shift();
    }
  }

  /** The server says that the agent was interrupted: what waits is thrown away. */
  flush(now: number): void {
    this.advance(now);
    const cut = this.#queue[0];
    if (cut !== undefined) {
      const played = Math.max(
        0,
        Math.min(cut.samples.length, Math.round(((now - cut.at) * LINE_RATE) / 1000)),
      );
      if (played > 0) this.heard.push({ at: cut.at, samples: cut.samples.subarray(0, played) });
    }
    this.#queue = [];
    this.#next = now;
    this.#fresh = true;
  }

  get playing(): boolean {
    return this.#queue.length > 0;
  }

  /** The first moment from `from` on at which the level is at least `dbfs`. */
  firstSound(from: number, dbfs: number): number | null {
    for (let at = this.heard.length - 1, found: number | null = null; ; at--) {
      const piece = this.heard[at];
      if (piece === undefined || piece.at < from) return found;
      if (levelOf(piece.samples) >= dbfs) found = piece.at;
    }
  }

  /** The loudspeaker's output of `count` samples from `from` on; silence where nothing played. */
  sounded(from: number, count: number): Int16Array {
    const out = new Int16Array(count);
    const until = from + (count * 1000) / LINE_RATE;
    for (let at = this.heard.length - 1; at >= 0; at--) {
      const { at: began, samples } = this.heard[at] as PlayedAudio;
      if (began + lengthOf(samples) <= from) break;
      if (began < until) mix(out, samples, Math.round(((began - from) * LINE_RATE) / 1000));
    }
    for (const { at: began, samples } of this.#queue) {
      if (began < until) mix(out, samples, Math.round(((began - from) * LINE_RATE) / 1000));
    }
    return out;
  }
}

function mix(into: Int16Array, samples: Int16Array, offset: number): void {
  for (let i = Math.max(0, -offset); i < samples.length && i + offset < into.length; i++)
    into[i + offset] = samples[i] as number;
}

const lengthOf = (samples: Int16Array): number => (samples.length * 1000) / LINE_RATE;
