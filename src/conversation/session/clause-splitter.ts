/**
 * Splits a growing answer into pieces for synthesis: a short first one, so that speech starts early, then whole
 * sentences, which prosody needs.
 */

const FIRST_MIN_CHARACTERS = 8;
const LATER_MIN_CHARACTERS = 24;
const LONG_CHARACTERS = 140;
/** The text is split here even without punctuation; the voice pauses as for a breath. */
const MAX_CHARACTERS = 240;
/** Punctuation before a space is searched in this many characters; no pattern is longer. */
const TAIL_CHARACTERS = 24;
const ABBREVIATION =
  /(?:^|[\s(])(?:mr|mrs|ms|dr|st|no|vs|etc|e\.g|i\.e|sr|sra|dra|m|mme|hr|fr|nr|bzw|ca|z\.b|डॉ|श्री|\p{Lu})\.$/iu;
const SENTENCE_END = /[.!?।…]["'”»)]*$/u;
const CLAUSE_END = /[,;:–—،]$/u;

const SPEAKABLE = /[\p{L}\p{N}]/u;

/** Reports whether a period after this word does not end a sentence, because the word is a common abbreviation. */
export const isAbbreviation = (word: string): boolean =>
  !/^\p{L}\.?$/u.test(word) && ABBREVIATION.test(`${word.replace(/\.$/, '')}.`);

export const isSpeakable = (text: string): boolean => SPEAKABLE.test(text);

export class ClauseSplitter {
  #pending = '';
  #looked = 0;
  #first = true;

  add(text: string): string[] {
    this.#pending = this.#pending === '' ? text.trimStart() : this.#pending + text;
    const pieces: string[] = [];
    for (let cut = this.#cutAt(); cut > 0; cut = this.#cutAt()) pieces.push(...this.#take(cut));
    return pieces;
  }

  end(): string[] {
    return this.#take(this.#pending.length);
  }

  /** Takes a sentence that no space follows yet. The period behind a digit may be a decimal point. */
  sentence(): string[] {
    const text = this.#pending.trimEnd();
    const isWhole = this.#endsPiece(text.length) && !/\p{N}\.$/u.test(text);
    return isWhole ? this.#take(text.length) : [];
  }

  /** Drops the last characters, as far as no piece has them. */
  dropLast(characters: number): void {
    this.#pending = this.#pending.slice(0, Math.max(0, this.#pending.length - characters));
    this.#looked = Math.min(this.#looked, this.#pending.length);
  }

  #take(length: number): string[] {
    const piece = this.#pending.slice(0, length).replace(/\s+/g, ' ').trim();
    this.#pending = this.#pending.slice(length).trimStart();
    this.#looked = 0;
    if (piece === '') return [];
    this.#first = false;
    return [piece];
  }

  /**
   * Returns the end of the next piece, or 0 while it is incomplete. Punctuation counts once a space or more
   * text follows it.
   */
  #cutAt(): number {
    const spaces = /\s+/g;
    spaces.lastIndex = this.#looked;
    for (let space = spaces.exec(this.#pending); space !== null; space = spaces.exec(this.#pending)) {
      const end = space.index + space[0].length;
      if (space.index > MAX_CHARACTERS) return this.#breath();
      if (space[0].includes('\n') || this.#endsPiece(space.index)) return end;
      // A growing run of space may still bring a line break.
      this.#looked = end === this.#pending.length ? space.index : end;
      if (end === this.#pending.length) break;
    }
    return this.#pending.length > MAX_CHARACTERS ? this.#breath() : 0;
  }

  #breath(): number {
    const space = this.#pending.lastIndexOf(' ', MAX_CHARACTERS);
    if (space > 0) return space;
    // The split must not separate a surrogate pair.
    const code = this.#pending.charCodeAt(MAX_CHARACTERS - 1);
    return code >= 0xd800 && code < 0xdc00 ? MAX_CHARACTERS - 1 : MAX_CHARACTERS;
  }

  #endsPiece(length: number): boolean {
    if (length < (this.#first ? FIRST_MIN_CHARACTERS : LATER_MIN_CHARACTERS)) return false;
    const tail = this.#pending.slice(Math.max(0, length - TAIL_CHARACTERS), length);
    if (SENTENCE_END.test(tail)) return !ABBREVIATION.test(tail);
    return (this.#first || length >= LONG_CHARACTERS) && CLAUSE_END.test(tail);
  }
}
