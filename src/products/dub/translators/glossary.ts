/** Protects terms for translators without a glossary: each term passes through as a name that no dictionary has. */

import { escaped, UNSPACED_CHARACTER } from '../../../foundation/platform/patterns.ts';

const LETTERS = 'bcdfghjkmnpqrtvwx';

const NAME = new RegExp(`Zq[${LETTERS}]{3}z`, 'gi');

/** The name consists of letters and resembles no word, so that a dictionary leaves it alone. */
function nameOf(at: number): string {
  const digits = [at, Math.floor(at / LETTERS.length), Math.floor(at / LETTERS.length ** 2)];
  return `Zq${digits.map((digit) => LETTERS[digit % LETTERS.length]).join('')}z`;
}

const WORD_CHARACTER = `(?!${UNSPACED_CHARACTER})[\\p{L}\\p{N}]`;

/** A term matches whole words: `Art` is not in `Artikel`. Chinese and Japanese have no spaces between words. */
function asWord(term: string): RegExp {
  const before = new RegExp(`^${UNSPACED_CHARACTER}`, 'u').test(term) ? '' : `(?<!${WORD_CHARACTER})`;
  const behind = new RegExp(`${UNSPACED_CHARACTER}$`, 'u').test(term) ? '' : `(?!${WORD_CHARACTER})`;
  return new RegExp(`${before}${escaped(term)}${behind}`, 'giu');
}

export const holdsTerm = (text: string, term: string): boolean => asWord(term).test(text);

export interface MaskedText {
  readonly text: string;
  unmask(translated: string): string;
}

export function maskTerms(text: string, glossary: Readonly<Record<string, string>>): MaskedText {
  // Longer terms come first, because a term may contain another one.
  const terms = Object.entries(glossary).sort(([a], [b]) => b.length - a.length);
  let masked = text;
  const wantedBy = new Map<string, string>();
  terms.forEach(([term, wanted], at) => {
    const name = nameOf(at);
    const before = masked;
    masked = masked.replace(asWord(term), name);
    if (masked !== before) wantedBy.set(name.toLowerCase(), wanted);
  });
  return {
    text: masked,
    // One pass leaves alone what a translation of the glossary contains: names in it would multiply the text.
    unmask: (translated) => translated.replace(NAME, (name) => wantedBy.get(name.toLowerCase()) ?? name),
  };
}

export const missingTerms = (
  text: string,
  translated: string,
  glossary: Readonly<Record<string, string>>,
): readonly string[] =>
  Object.entries(glossary)
    .filter(([term, wanted]) => holdsTerm(text, term) && !holdsTerm(translated, wanted))
    .map(([, wanted]) => wanted);
