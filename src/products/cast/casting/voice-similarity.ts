/** The similarity of stock voices by the speaker encoder; `npm run bench -- cast likeness` measures it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../../foundation/platform/project-root.ts';

interface Table {
  /** The ids are sorted. */
  readonly voices: readonly string[];
  /** The similarity of each voice with those before it, in hundredths. */
  readonly hundredths: readonly (readonly number[])[];
}

/** Listeners tell voices below this similarity apart without effort. */
export const DISTINCT_BELOW = 0.5;

export class VoiceSimilarity {
  readonly #places: ReadonlyMap<string, number>;
  readonly #table: Table;

  constructor(
    table: Table = JSON.parse(
      readFileSync(join(PROJECT_ROOT, 'models/voice-likeness.json'), 'utf8'),
    ) as Table,
  ) {
    this.#table = table;
    this.#places = new Map(table.voices.map((id, place) => [id, place]));
  }

  /** Returns null where one of them was never measured. */
  between(one: string, other: string): number | null {
    if (one === other) return 1;
    const [a, b] = [this.#places.get(one), this.#places.get(other)];
    if (a === undefined || b === undefined) return null;
    return (this.#table.hundredths[Math.max(a, b)]![Math.min(a, b)] as number) / 100;
  }
}
