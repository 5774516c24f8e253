import { LINE_RATE } from '../caller/index.ts';
import { toLineRate } from './sounds.ts';
import { type WavAudio, wavOf } from './wav.ts';

/** The margin keeps whole words: a recognizer reports their start late, and a clipped word is audible. */
const BEFORE_MS = 300;
const AFTER_MS = 400;

export class RecordedCaller {
  readonly beginsMs: number;
  readonly #samples: Int16Array;

  /** `beginsMs` is the time of the first sample. The caller is the left channel. */
  constructor({ rate, channels }: WavAudio, beginsMs: number) {
    this.beginsMs = beginsMs;
    this.#samples = toLineRate(channels[0] ?? new Int16Array(0), rate);
  }

  get endsMs(): number {
    return this.beginsMs + (this.#samples.length * 1000) / LINE_RATE;
  }

  turn(
    fromMs: number,
    toMs: number,
    bounds: { readonly after: number; readonly before: number },
  ): Buffer | null {
    const from = Math.max(fromMs - BEFORE_MS, bounds.after, this.beginsMs);
    const to = Math.min(toMs + AFTER_MS, bounds.before, this.endsMs);
    if (fromMs < this.beginsMs || from >= to) return null;
    return wavOf({ rate: LINE_RATE, channels: [this.#samples.subarray(this.#at(from), this.#at(to))] });
  }

  whole(): Buffer {
    return wavOf({ rate: LINE_RATE, channels: [this.#samples] });
  }

  #at(ms: number): number {
    return Math.round(((ms - this.beginsMs) * LINE_RATE) / 1000);
  }
}
