import { LINE_RATE } from '../caller/index.ts';
import { toLineRate } from './sounds.ts';
import { type WavAudio, wavOf } from './wav.ts';

/** A recognizer hears words begin late, and a cut within a word would be heard. */
const BEFORE_MS = 300;
const AFTER_MS = 400;

/** The caller's own side of a recorded call, on the clock of its transcript. */
export class RecordedCaller {
  readonly beginsMs: number;
  readonly #samples: Int16Array;

  /** `beginsMs`: the moment of the first sample. The caller is on the left. */
  constructor({ rate, channels }: WavAudio, beginsMs: number) {
    this.beginsMs = beginsMs;
    this.#samples = toLineRate(channels[0] ?? new Int16Array(0), rate);
  }

  get endsMs(): number {
    return this.beginsMs + (this.#samples.length * 1000) / LINE_RATE;
  }

  /** Extracts the audio between two moments as a WAV file, with a margin; null without a recording. */
  turn(
    fromMs: number,
    toMs: number,
    bounds: { readonly after: number; readonly before: number },
  ): Buffer | null {
    const from = Math.max(fromMs - BEFORE_MS, bounds.after, this.beginsMs);
    const to = Math.min(toMs + AFTER_MS, bounds.before, this.endsMs);
    // The words begin before the first sample, or end behind the last.
    if (fromMs < this.beginsMs || from >= to) return null;
    return wavOf({ rate: LINE_RATE, channels: [this.#samples.subarray(this.#at(from), this.#at(to))] });
  }

  /** All of it as a WAV file. */
  whole(): Buffer {
    return wavOf({ rate: LINE_RATE, channels: [this.#samples] });
  }

  #at(ms: number): number {
    return Math.round(((ms - this.beginsMs) * LINE_RATE) / 1000);
  }
}
