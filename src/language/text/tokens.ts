export interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly gap: string;
}

const TOKEN =
  /\d{4}-\d{2}-\d{2}(?!\d)|\d{1,2}[/.]\d{1,2}[/.](?:\d{4}|\d{2})(?!\d)|\d{1,2}\/\d{1,2}(?![\d/])|\d{1,2}[:h]\d{2}(?!\d)|\d+(?:[.,]\d+)*|[ap]\.\s?m\b\.?|[+$€£₹]|(?<![\p{L}\p{N}]\s?)-(?=\d)|(?<=\s)-(?=\d)|[\p{L}\p{M}]+/giu;

const DEVANAGARI_ZERO = 0x0966;

/** The text is in NFC with ASCII instead of Devanagari digits; token offsets refer to it. */
export const plainText = (said: string): string =>
  said
    .normalize('NFC')
    .replaceAll('’', "'")
    .replace(/[०-९]/g, (digit) => String(digit.charCodeAt(0) - DEVANAGARI_ZERO));

/** Folding removes accents, nuktas and capitals: recognition writes "फ़रवरी" and "फरवरी", "sábado" and "sabado". */
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

export const spokenWords = (said: string): string =>
  ` ${tokensOf(plainText(said))
    .map(({ text }) => text)
    .join(' ')} `;

export const wordAt = (tokens: readonly Token[], at: number): string => tokens[at]?.text ?? '';

/** Returns how many tokens the longest matching phrase takes at `at`; 0 without a match. */
export function phraseAt(tokens: readonly Token[], at: number, phrases: readonly string[]): number {
  let longest = 0;
  for (const phrase of phrases) {
    const words = phrase.split(' ');
    if (words.length > longest && words.every((word, offset) => wordAt(tokens, at + offset) === word))
      longest = words.length;
  }
  return longest;
}

export const startsClause = (token: Token | undefined): boolean =>
  token === undefined || /[,;:.!?¿¡।…]/u.test(token.gap);

const SIGNS = /[.,!?¿¡।;:"“”«»…]/gu;

export const bareText = (text: string): string =>
  text.normalize('NFC').toLowerCase().replaceAll('’', "'").replace(SIGNS, ' ').replace(/\s+/g, ' ').trim();
