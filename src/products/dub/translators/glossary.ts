/** Terms that a translation keeps, for translators without a glossary: each goes through as a name that nobody translates. */

import { escaped } from '../../../foundation/platform/patterns.ts';

const LETTERS = 'bcdfghjkmnpqrtvwx';

/** Unlike any word, and made of letters alone: it passes a dictionary as an unknown name. */
function nameOf(at: number): string {
  const digits = [at, Math.floor(at / LETTERS.length), Math.floor(at / LETTERS.length ** 2)];
  return `Zq${digits.map((digit) => LETTERS[digit % LETTERS.length]).join('')}z`;
}

/** A term stands alone: `Art` is not in `Artikel`. */
const asWord = (term: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])${escaped(term)}(?![\\p{L}\\p{N}])`, 'giu');

export const holdsTerm = (text: string, term: string): boolean => asWord(term).test(text);

export interface MaskedText {
  readonly text: string;
  /** Puts the target terms where their names came out. */
  unmask(translated: string): string;
}

export function maskTerms(text: string, glossary: Readonly<Record<string, string>>): MaskedText {
  // Longer terms first: a term may hold another one.
  const terms = Object.entries(glossary).sort(([a], [b]) => b.length - a.length);
  let masked = text;
  const names: [string, string][] = [];
  terms.forEach(([term, wanted], at) => {
    const name = nameOf(at);
    const before = masked;
    masked = masked.replace(asWord(term), name);
    if (masked !== before) names.push([name, wanted]);
  });
  return {
    text: masked,
    unmask: (translated) =>
      names.reduce((so, [name, wanted]) => so.replace(new RegExp(name, 'gi'), () => wanted), translated),
  };
}

/** Target terms that a translation should hold and does not. */
export const missingTerms = (
  text: string,
  translated: string,
  glossary: Readonly<Record<string, string>>,
): readonly string[] =>
  Object.entries(glossary)
    .filter(([term, wanted]) => holdsTerm(text, term) && !holdsTerm(translated, wanted))
    .map(([, wanted]) => wanted);
