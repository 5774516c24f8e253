/** One word, number or sign of what was said, folded so that spellings meet. */
export interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The text between the token before and this one. */
  readonly gap: string;
}

const TOKEN =
  /\d{4}-\d{2}-\d{2}(?!\d)|\d{1,2}[/.]\d{1,2}[/.](?:\d{4}|\d{2})(?!\d)|\d{1,2}\/\d{1,2}(?![\d/])|\d{1,2}[:h]\d{2}(?!\d)|\d+(?:[.,]\d+)*|[ap]\.\s?m\b\.?|[+$€£₹]|(?<![\p{L}\p{N}]\s?)-(?=\d)|(?<=\s)-(?=\d)|[\p{L}\p{M}]+/giu;

const DEVANAGARI_ZERO = 0x0966;

/** Composed, with the digits of Devanagari as all others: what offsets of tokens count in. */
export const plainText = (said: string): string =>
  said
    .normalize('NFC')
    .replaceAll('’', "'")
    .replace(/[०-९]/g, (digit) => String(digit.charCodeAt(0) - DEVANAGARI_ZERO));

/** Without accents, nuktas and capitals: recognition writes "फ़रवरी" and "फरवरी", "sábado" and "sabado". */
export const fold = (word: string): string =>
  word
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f\u093c]/g, '')
    .replaceAll('ँ', 'ं')
    .normalize('NFC');

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let before = 0;
  for (const { 0: found, index } of text.matchAll(TOKEN)) {
    const meridiem = /^([ap])\.\s?m\.?$/i.exec(found);
    tokens.push({
      text: meridiem === null ? fold(found) : `${meridiem[1]?.toLowerCase()}m`,
      start: index,
      end: index + found.length,
      gap: text.slice(before, index),
    });
    before = index + found.length;
  }
  return tokens;
}

/** The words of what was said, one space around each: as a phrase is looked for. */
export const spokenWords = (said: string): string =>
  ` ${tokensOf(plainText(said))
    .map(({ text }) => text)
    .join(' ')} `;

export const wordAt = (tokens: readonly Token[], at: number): string => tokens[at]?.text ?? '';

/** How many tokens from `at` on one of the phrases takes, the longest first; 0 when none is there. */
export function phraseAt(tokens: readonly Token[], at: number, phrases: readonly string[]): number {
  let longest = 0;
  for (const phrase of phrases) {
    const words = phrase.split(' ');
    if (words.length > longest && words.every((word, offset) => wordAt(tokens, at + offset) === word))
      longest = words.length;
  }
  return longest;
}

/** Whether the token is the first of a clause: a sign of punctuation stands before it. */
export const startsClause = (token: Token | undefined): boolean =>
  token === undefined || /[,;:.!?¿¡।…]/u.test(token.gap);

const SIGNS = /[.,!?¿¡।;:"“”«»…]/gu;

/** In small letters, without signs of punctuation. */
export const bareText = (text: string): string =>
  text.normalize('NFC').toLowerCase().replaceAll('’', "'").replace(SIGNS, ' ').replace(/\s+/g, ' ').trim();
