/** How alike two stock voices sound to the speaker embedder; `npm run bench -- cast likeness` measures it anew. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../../foundation/platform/project-root.ts';

interface Table {
  /** Ids, rising. */
  readonly voices: readonly string[];
  /** The similarity of each voice with those before it, in hundredths. */
  readonly hundredths: readonly (readonly number[])[];
}

/** Voices that are less alike are told apart without effort. */
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

  /** The result is null when one of them was never measured. */
  between(one: string, other: string): number | null {
    if (one === other) return 1;
    const [a, b] = [this.#places.get(one), this.#places.get(other)];
    if (a === undefined || b === undefined) return null;
    return (this.#table.hundredths[Math.max(a, b)]![Math.min(a, b)] as number) / 100;
  }
}
