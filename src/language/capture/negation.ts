import { LANGUAGE_WORDS, type LanguageCode, phraseAt, type Token } from '../text/index.ts';

export function isNegated(tokens: readonly Token[], language: LanguageCode): boolean {
  const { negation, polite } = LANGUAGE_WORDS[language].consent;
  for (let at = 0; at < tokens.length; at++) {
    const skipped = phraseAt(tokens, at, polite);
    if (skipped > 0) at += skipped - 1;
    else if (phraseAt(tokens, at, negation) > 0) return true;
  }
  return false;
}

const BUT = new Set('but pero sino mais aber sondern लेकिन मगर ma bensì mas maar'.split(' '));

/** A word further away negates nothing, and every value of an answer asks for its clause. */
const MOST_WORDS = 40;

/** Returns the tokens of the clause that can negate a token: those after it only where the language negates behind. */
export function clauseAround(tokens: readonly Token[], at: number, language: LanguageCode): Token[] {
  const breaks = (index: number): boolean =>
    /[,;:.!?¿¡।…]/u.test(tokens[index]?.gap ?? '') || BUT.has(tokens[index]?.text ?? '');
  let from = at;
  while (from > Math.max(0, at - MOST_WORDS) && !breaks(from)) from--;
  let to = at;
  const last = Math.min(tokens.length, at + MOST_WORDS);
  while (language === 'hi' && to < last && !breaks(to + 1)) to++;
  return tokens.slice(from, Math.min(tokens.length, to + (language === 'hi' ? 1 : 0)));
}

export const isDeclined = (tokens: readonly Token[], at: number, language: LanguageCode): boolean =>
  isNegated(clauseAround(tokens, at, language), language);
