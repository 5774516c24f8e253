/** Cuts a growing answer into pieces worth speaking: a short first one, so that the voice starts early, then whole
 * sentences, because prosody wants them. */

const FIRST_MIN_CHARACTERS = 12;
const LATER_MIN_CHARACTERS = 24;
/** A sentence longer than this is spoken in clauses. */
const LONG_CHARACTERS = 140;
const ABBREVIATION =
  /(?:^|[\s(])(?:mr|mrs|ms|dr|st|no|vs|etc|e\.g|i\.e|sr|sra|dra|m|mme|hr|fr|nr|bzw|ca|z\.b|डॉ|श्री|\p{Lu})\.$/iu;
const SENTENCE_END = /[.!?।…]["'”»)]*$/u;
const CLAUSE_END = /[,;:–—،]$/u;

export class ClauseCutter {
  #pending = '';
  #first = true;

  /** The pieces that are complete now. */
  add(text: string): string[] {
    // Space before a piece is nobody's: it must not count towards the length of one.
    this.#pending = (this.#pending + text).trimStart();
    const pieces: string[] = [];
    for (let cut = this.#cutAt(); cut > 0; cut = this.#cutAt()) pieces.push(...this.#take(cut));
    return pieces;
  }

  /** What is left when the answer has ended. */
  end(): string[] {
    return this.#take(this.#pending.length);
  }

  #take(length: number): string[] {
    const piece = this.#pending.slice(0, length).replace(/\s+/g, ' ').trim();
    this.#pending = this.#pending.slice(length).trimStart();
    if (piece === '') return [];
    this.#first = false;
    return [piece];
  }

  /** Where the next piece ends; 0 when it is not complete. A mark counts once a space or more text follows it. */
  #cutAt(): number {
    const enough = this.#first ? FIRST_MIN_CHARACTERS : LATER_MIN_CHARACTERS;
    for (const space of this.#pending.matchAll(/\s+/g)) {
      const before = this.#pending.slice(0, space.index);
      const end = space.index + space[0].length;
      if (/\n/.test(space[0]) && before.trim() !== '') return end;
      if (before.length >= enough && SENTENCE_END.test(before) && !ABBREVIATION.test(before)) return end;
      if (
        (this.#first || before.length >= LONG_CHARACTERS) &&
        before.length >= enough &&
        CLAUSE_END.test(before)
      ) {
        return end;
      }
    }
    return 0;
  }
}
