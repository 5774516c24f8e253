import { ApiError } from '../../foundation/platform/errors.ts';
import { UNSPACED_CHARACTER } from '../../foundation/platform/patterns.ts';

/** A word and the spelling with which it is spoken. */
export interface Pronunciation {
  readonly word: string;
  readonly say: string;
}

/** A pronunciation of the project; without a language it holds for the voices of all languages. */
export interface ProjectPronunciation extends Pronunciation {
  readonly language?: string;
}

export const PRONUNCIATION_LIMITS = { entries: 500, word: 64, say: 128 } as const;

/** Two entries for the same word in the same language would hide one another. */
export function checkPronunciations<T extends ProjectPronunciation>(given: readonly T[]): readonly T[] {
  const words = new Set<string>();
  for (const [at, { word, language = '' }] of given.entries()) {
    const key = `${language} ${word.toLowerCase()}`;
    if (words.has(key))
      throw new ApiError('invalid_request', `'${word}' is listed twice.`, {
        param: `pronunciations.${at}.word`,
      });
    words.add(key);
  }
  return given;
}

const PART_OF_WORD = new RegExp(`(?!${UNSPACED_CHARACTER})[\\p{L}\\p{M}\\p{N}]`, 'u');
const isPartOfWord = (character: string | undefined): boolean =>
  character !== undefined && PART_OF_WORD.test(character);

/** Replaces whole words in any case, the longest first; a replacement is not replaced again. */
export class PronunciationDictionary {
  readonly #byFirst = new Map<string, Pronunciation[]>();

  constructor(pronunciations: readonly Pronunciation[]) {
    const longestFirst = [...pronunciations].sort((a, b) => b.word.length - a.word.length);
    for (const one of longestFirst) {
      const first = one.word[0]!.toLowerCase();
      this.#byFirst.set(first, [...(this.#byFirst.get(first) ?? []), one]);
    }
  }

  apply(text: string): string {
    if (this.#byFirst.size === 0) return text;
    let said = '';
    for (let at = 0; at < text.length; ) {
      const found = isPartOfWord(text[at - 1]) ? undefined : this.#at(text, at);
      said += found?.say ?? text[at];
      at += found?.word.length ?? 1;
    }
    return said;
  }

  #at(text: string, at: number): Pronunciation | undefined {
    const candidates = this.#byFirst.get(text[at]!.toLowerCase()) ?? [];
    return candidates.find(({ word }) => {
      const end = at + word.length;
      if (isPartOfWord(word.at(-1)) && isPartOfWord(text[end])) return false;
      return text.slice(at, end).toLowerCase() === word.toLowerCase();
    });
  }
}

/** Entries of the voice's own language win over those of all languages. */
export function pronunciationsIn(
  language: string,
  pronunciations: readonly ProjectPronunciation[],
): readonly Pronunciation[] {
  const own = pronunciations.filter((one) => one.language === language);
  return [...own, ...pronunciations.filter((one) => one.language === undefined)];
}
