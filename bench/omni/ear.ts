import { FRAME_MS, levelOf, RATE } from './sound.ts';

/** A stretch of sound as it was heard. */
export interface Heard {
  readonly at: number;
  readonly samples: Int16Array;
}

const AUDIBLE_DBFS = -50;

/** A client's playout buffer on its own clock: what the caller hears, and when. */
export class Ear {
  readonly heard: Heard[] = [];
  /** Moments at which the sound broke off within a speech because the next frame was late, and for how long. */
  readonly underruns: { at: number; ms: number; inSound: boolean }[] = [];
  #queue: Heard[] = [];
  #next = 0;
  /** Samples heard since the last flush or the last long silence. */
  #since = 0;

  /** A frame came at `now` (ms); it plays behind what waits, or at once. */
  take(samples: Int16Array, now: number): void {
    this.advance(now);
    const late = now - this.#next;
    // A pause between speeches is no underrun.
    const before = this.heard.at(-1);
    if (late > 0 && late < 200 && this.heard.length > this.#since && before !== undefined) {
      // Between two clauses it only lengthens a pause.
      const inSound = levelOf(before.samples) >= AUDIBLE_DBFS && levelOf(samples) >= AUDIBLE_DBFS;
      this.underruns.push({ at: now, ms: late, inSound });
    }
    if (late >= 200) this.#since = this.heard.length;
    this.#next = Math.max(this.#next, now);
    this.#queue.push({ samples, at: this.#next });
    this.#next += lengthOf(samples);
  }

  /** What has played until `now` is heard. */
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
      const played = Math.max(0, Math.min(cut.samples.length, Math.round(((now - cut.at) * RATE) / 1000)));
      if (played > 0) this.heard.push({ at: cut.at, samples: cut.samples.subarray(0, played) });
    }
    this.#queue = [];
    this.#next = now;
    this.#since = this.heard.length;
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

  /** What the loudspeaker gave out in the `count` samples from `from` on; silence where nothing played. */
  sounded(from: number, count: number): Int16Array {
    const out = new Int16Array(count);
    const until = from + (count * 1000) / RATE;
    for (let at = this.heard.length - 1; at >= 0; at--) {
      const { at: began, samples } = this.heard[at] as Heard;
      if (began + lengthOf(samples) <= from) break;
      if (began < until) mix(out, samples, Math.round(((began - from) * RATE) / 1000));
    }
    for (const { at: began, samples } of this.#queue) {
      if (began < until) mix(out, samples, Math.round(((began - from) * RATE) / 1000));
    }
    return out;
  }
}

function mix(into: Int16Array, samples: Int16Array, offset: number): void {
  for (let i = Math.max(0, -offset); i < samples.length && i + offset < into.length; i++)
    into[i + offset] = samples[i] as number;
}

const lengthOf = (samples: Int16Array): number => (samples.length * 1000) / RATE;
export const frameEnd = ({ at }: Heard): number => at + FRAME_MS;
