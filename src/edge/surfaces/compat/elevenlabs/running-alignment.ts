/**
 * Estimates when the characters of a text are spoken, before its speech is complete, from the expected length of the
 * speech.
 */

export interface CharacterTimes {
  readonly chars: string[];
  readonly charStartTimesMs: number[];
  readonly charDurationsMs: number[];
}

export class RunningAlignment {
  readonly #characters: readonly string[];
  readonly #expectedMs: number;
  #at = 0;
  #elapsedMs = 0;

  constructor(text: string, expectedMs: number) {
    this.#characters = [...text];
    this.#expectedMs = Math.max(1, expectedMs);
  }

  next(pieceMs: number): CharacterTimes {
    this.#elapsedMs += pieceMs;
    const share = Math.min(1, this.#elapsedMs / this.#expectedMs);
    const to = Math.floor(this.#characters.length * share);
    // Clients split what they get into words, and LiveKit 1.3 fails where a context begins with spaces alone.
    const isBlank = this.#characters.slice(this.#at, to).join('').trim() === '';
    return this.#take(isBlank ? this.#at : to, pieceMs);
  }

  rest(): CharacterTimes | null {
    return this.#at === this.#characters.length ? null : this.#take(this.#characters.length, 0);
  }

  #take(to: number, ms: number): CharacterTimes {
    const chars = this.#characters.slice(this.#at, to);
    this.#at = to;
    const each = chars.length === 0 ? 0 : ms / chars.length;
    const starts = chars.map((_, index) => Math.round(index * each));
    return {
      chars,
      charStartTimesMs: starts,
      charDurationsMs: starts.map((start, index) => Math.round((index + 1) * each) - start),
    };
  }
}
