import { LINE_RATE, levelOf } from './line-audio.ts';

export interface PlayedAudio {
  readonly at: number;
  readonly samples: Int16Array;
}

/** The playout ran out of audio within an utterance, because the next frame was late. */
export interface PlayoutGap {
  readonly at: number;
  readonly ms: number;
  /**
   * The gap is within sound, or so long that it is audible anywhere. A shorter one between two clauses only lengthens
   * their pause.
   */
  readonly inSound: boolean;
}

const AUDIBLE_DBFS = -50;
const STALL_MS = 200;
/** A delay below one sample counts as in time. */
const SAMPLE_MS = 1000 / LINE_RATE;

/**
 * Simulates a client's playout buffer on its own clock. An utterance plays `delayMs` after its first frame arrived,
 * so that frames with a smaller delay are in time, as in a gateway or a browser.
 */
export class PlayoutBuffer {
  readonly heard: PlayedAudio[] = [];
  readonly breaks: PlayoutGap[] = [];
  readonly delayMs: number;
  #queue: PlayedAudio[] = [];
  #next = 0;
  #fresh = true;

  constructor(delayMs = 0) {
    this.delayMs = delayMs;
  }

  take(samples: Int16Array, now: number): void {
    this.advance(now);
    const late = now - this.#next;
    if (this.#fresh) this.#next = Math.max(this.#next, now + this.delayMs);
    else if (late >= SAMPLE_MS) this.#broke(late, samples, now);
    this.#fresh = false;
    this.#queue.push({ samples, at: this.#next });
    this.#next += lengthOf(samples);
  }

  /** The agent has finished an utterance; the next audio starts another one, however late. */
  speechEnds(): void {
    this.#fresh = true;
  }

  #broke(ms: number, next: Int16Array, now: number): void {
    const before = this.heard.at(-1)?.samples ?? next;
    const inSound = ms >= STALL_MS || (levelOf(before) >= AUDIBLE_DBFS && levelOf(next) >= AUDIBLE_DBFS);
    this.breaks.push({ at: now, ms, inSound });
    this.#next = now;
  }

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

  firstSound(from: number, dbfs: number): number | null {
    for (let at = this.heard.length - 1, found: number | null = null; ; at--) {
      const piece = this.heard[at];
      if (piece === undefined || piece.at < from) return found;
      if (levelOf(piece.samples) >= dbfs) found = piece.at;
    }
  }

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
