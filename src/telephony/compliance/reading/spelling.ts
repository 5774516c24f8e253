import type { FormatName } from '../registry/schema.ts';

/** OCR's typical errors in names, and words that it cannot have seen. */

export interface Spelling {
  readonly text: string;
  /** It was put together again, or a word of it cannot be right: a person looks at it. */
  readonly doubtful: boolean;
}

/** Words that begin small within names of persons and companies, and after a letter that stands alone. */
const SMALL = new Set(
  'a al and as at bin by d da das de del della den der di do dos du e el et for from ibn in la le of on or per st t ten ter the to und van von y zu'.split(
    ' ',
  ),
);
const NAMES: ReadonlySet<FormatName> = new Set(['name', 'company']);
const WORDS: ReadonlySet<FormatName> = new Set(['name', 'company', 'address']);

const isSmall = (word: string): boolean => SMALL.has(word.toLowerCase().replace(/[^\p{L}]/gu, ''));

/** Text that was read from a picture, as a value of that format. */
export function spelt(format: FormatName, text: string): Spelling {
  if (!WORDS.has(format)) return { text, doubtful: false };
  const whole = joined(unbracketed(text));
  return { text: whole, doubtful: whole !== text || (NAMES.has(format) && beginsSmall(whole)) };
}

/** A bracket that nothing opens, before a letter that begins small, was a J. */
function unbracketed(text: string): string {
  if (/[([{]/.test(text)) return text;
  return text
    .replace(/J[\])}](?= ?\p{Ll})/gu, 'J')
    .replace(/(\p{Ll})[\])}] (?=\p{Ll})/gu, '$1 J')
    .replace(/(^| )[\])}] ?(?=\p{Ll})/gu, '$1J');
}

/** A capital that stands alone before a word that begins small was torn off it. */
const joined = (text: string): string =>
  text.replace(/(?<![^\s])(\p{Lu}) (\p{Ll}[\p{L}\p{N}'’.,-]*)/gu, (both, capital: string, word: string) =>
    isSmall(word) ? both : capital + word,
  );

const beginsSmall = (text: string): boolean =>
  text.split(' ').some((word) => /^[^\p{L}\p{N}]*\p{Ll}/u.test(word) && !isSmall(word));
