import { newId } from '../../../foundation/platform/ids.ts';

/**
 * Assigns ids to a stream's utterances. Partials of the next utterance may arrive before the final of the one before;
 * each keeps its id until its final.
 */
export class UtteranceIds {
  readonly #ids = new Map<number, string>();

  of(utterance: number): string {
    const known = this.#ids.get(utterance);
    if (known !== undefined) return known;
    const id = newId('utt');
    this.#ids.set(utterance, id);
    return id;
  }

  /** Finals come in order: no later event refers to this utterance or to any before it. */
  over(utterance: number): void {
    for (const number of this.#ids.keys()) if (number <= utterance) this.#ids.delete(number);
  }
}
