import { newId } from '../../../foundation/platform/ids.ts';

/** The ids of a stream's utterances. The next one may be shown while the final of the one before is still awaited: each keeps
 * its own until its final. */
export class UtteranceIds {
  readonly #ids = new Map<number, string>();

  of(utterance: number): string {
    const known = this.#ids.get(utterance);
    if (known !== undefined) return known;
    const id = newId('utt');
    this.#ids.set(utterance, id);
    return id;
  }

  /** Finals come in order: nothing more is said of this one, nor of any before it. */
  over(utterance: number): void {
    for (const number of this.#ids.keys()) if (number <= utterance) this.#ids.delete(number);
  }
}
