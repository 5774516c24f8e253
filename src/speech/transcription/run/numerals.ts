import { numberWords } from '../../../language/text/index.ts';
import type { RecognizedWord } from '../contract.ts';

/** The pattern skips tags of the PII scan, which may contain digits, and includes the ending of an English ordinal. */
const NUMBER =
  /\[REDACTED_[A-Z]+\]|(?<number>\p{Nd}+(?:[.,]\p{Nd}{3})*(?:[.,]\p{Nd}+)?)(?:(?<ordinal>st|nd|rd|th)\b|(?<letter>(?=\p{L}))|)/giu;

const ORDINALS: ReadonlyMap<string, string> = new Map([
  ['one', 'first'],
  ['two', 'second'],
  ['three', 'third'],
  ['five', 'fifth'],
  ['eight', 'eighth'],
  ['nine', 'ninth'],
  ['twelve', 'twelfth'],
]);

function ordinal(cardinal: string): string {
  const last = /[a-z]+$/.exec(cardinal)?.[0] ?? '';
  const ending = ORDINALS.get(last) ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`);
  return cardinal.slice(0, cardinal.length - last.length) + ending;
}

interface Parts {
  readonly number?: string;
  readonly ordinal?: string;
  readonly letter?: string;
}

function write(text: string, language: string): string {
  return text.replace(NUMBER, (whole: string, ...rest: unknown[]) => {
    const [at, all, parts] = rest.slice(-3) as [number, string, Parts];
    if (parts.number === undefined) return whole;
    const apart = /\p{L}$/u.test(all.slice(0, at)) ? ' ' : '';
    const words = apart + numberWords(parts.number, language);
    if (parts.ordinal !== undefined) return language === 'en' ? ordinal(words) : `${words} ${parts.ordinal}`;
    return parts.letter === undefined ? words : `${words} `;
  });
}

/** A word that contains a number keeps its times. */
export function numeralsInWords<
  Said extends { readonly text: string; readonly words: readonly RecognizedWord[] },
>(said: Said, language: string): Said {
  const words = said.words.map((word) => ({ ...word, word: write(word.word, language) }));
  return { ...said, text: write(said.text, language), words };
}
