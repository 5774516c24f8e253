/** When the characters of a text sound, told while it is spoken: by the length that its speech is expected to have. */

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

  /** The characters of the next piece, with times from its beginning. */
  next(pieceMs: number): CharacterTimes {
    this.#elapsedMs += pieceMs;
    const share = Math.min(1, this.#elapsedMs / this.#expectedMs);
    return this.#take(Math.floor(this.#characters.length * share), pieceMs);
  }

  /** Those that are left when the speech was shorter than expected; null: none. */
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
