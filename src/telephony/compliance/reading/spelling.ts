import type { FormatName } from '../registry/schema.ts';

export interface Spelling {
  readonly text: string;
  /** The text was repaired or has an improbable word: a human checks it. */
  readonly doubtful: boolean;
}

/** Words that are lowercase in names of persons and companies, and also after a single letter. */
const SMALL = new Set(
  'a al and as at bin by d da das de del della den der di do dos du e el et for from ibn in la le of on or per st t ten ter the to und van von y zu'.split(
    ' ',
  ),
);
const NAMES: ReadonlySet<FormatName> = new Set(['name', 'company']);
const WORDS: ReadonlySet<FormatName> = new Set(['name', 'company', 'address']);

const isSmall = (word: string): boolean => SMALL.has(word.toLowerCase().replace(/[^\p{L}]/gu, ''));

export function spelt(format: FormatName, text: string): Spelling {
  if (!WORDS.has(format)) return { text, doubtful: false };
  const whole = joined(unbracketed(text));
  return { text: whole, doubtful: whole !== text || (NAMES.has(format) && beginsSmall(whole)) };
}

/** An unopened bracket before a lowercase letter is a misread J. */
function unbracketed(text: string): string {
  if (/[([{]/.test(text)) return text;
  return text
    .replace(/J[\])}](?= ?\p{Ll})/gu, 'J')
    .replace(/(\p{Ll})[\])}] (?=\p{Ll})/gu, '$1 J')
    .replace(/(^| )[\])}] ?(?=\p{Ll})/gu, '$1J');
}

/** OCR split a capital from its word when it stands alone before a lowercase word. */
const joined = (text: string): string =>
  text.replace(/(?<![^\s])(\p{Lu}) (\p{Ll}[\p{L}\p{N}'’.,-]*)/gu, (both, capital: string, word: string) =>
    isSmall(word) ? both : capital + word,
  );

const beginsSmall = (text: string): boolean =>
  text.split(' ').some((word) => /^[^\p{L}\p{N}]*\p{Ll}/u.test(word) && !isSmall(word));
