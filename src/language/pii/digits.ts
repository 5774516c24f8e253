import {
  ARTICLES,
  DIGITS,
  FILLERS,
  HESITATION,
  HOMOPHONES,
  MAGNITUDES,
  REPEATS,
  TIMES,
  ZERO_LETTERS,
} from './lexicon.ts';
import { threeDigitsAt, twoDigitsAt } from './number-words.ts';

export interface DigitAtom {
  readonly digits: string;
  readonly start: number;
  readonly end: number;
  readonly spoken: boolean;
}

export type DigitRun = readonly DigitAtom[];

interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const MAX_FILLERS = 4;
const TOKEN = /(?<amount>[$€£₹]\s?\d[\d.,]*\d|\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,]))|\p{Nd}+|[\p{L}\p{M}]+/gu;
const SEPARATOR = /^[\s\-‐-―.,()/+_*#]{0,5}$/u;
const DIGIT = /^\p{Nd}$/u;
const DIGITS_TOGETHER = 50;

/** Unicode keeps the ten digits of a script together, from zero on, but adjacent scripts also begin at a zero. */
function digitValue(code: number): number {
  let first = code;
  while (code - first < DIGITS_TOGETHER && DIGIT.test(String.fromCodePoint(first - 1))) first -= 1;
  return (code - first) % 10;
}

const asciiDigits = (text: string): string =>
  [...text]
    .map((character) =>
      character > '\x7f' && DIGIT.test(character)
        ? String(digitValue(character.codePointAt(0) as number))
        : character,
    )
    .join('');

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const end = match.index + match[0].length;
    const token = match.groups?.amount === undefined ? match[0].normalize('NFC').toLowerCase() : '';
    tokens.push({ text: token, start: match.index, end });
  }
  return tokens;
}

function unit(token: Token | undefined, reading: DigitReadingRules): string | undefined {
  if (token === undefined) return undefined;
  if (ZERO_LETTERS.has(token.text)) return '0';
  const written = asciiDigits(token.text);
  const sounding = reading.homophones ? HOMOPHONES.get(token.text) : undefined;
  return DIGITS.get(token.text) ?? sounding ?? (/^[0-9]$/.test(written) ? written : undefined);
}

function repeatedAt(
  tokens: readonly Token[],
  at: number,
  reading: DigitReadingRules,
): { digits: string; length: number; spoken: boolean } | null {
  const words = (index: number): string => tokens[index]?.text ?? '';
  const said = REPEATS.get(words(at));
  const counted = TIMES.has(words(at + 1)) ? Number(DIGITS.get(words(at)) ?? 0) : 0;
  const times = said ?? (counted > 1 && counted < 5 ? counted : undefined);
  if (times === undefined) return null;
  const ahead = said === undefined ? 2 : 1;
  const article = ARTICLES.has(words(at + ahead)) && !ZERO_LETTERS.has(words(at + ahead)) ? 1 : 0;
  const digit = unit(tokens[at + ahead + article], reading);
  return digit === undefined
    ? null
    : { digits: digit.repeat(times), length: ahead + article + 1, spoken: true };
}

function numberAt(
  tokens: readonly Token[],
  at: number,
  reading: DigitReadingRules,
): { digits: string; length: number; spoken: boolean } | undefined {
  const token = tokens[at] as Token;
  const next = tokens[at + 1];
  const written = asciiDigits(token.text);
  if (/^[0-9]+$/.test(written)) return { digits: written, length: 1, spoken: false };
  const repeated = repeatedAt(tokens, at, reading);
  if (repeated !== null) return repeated;
  const words = (index: number): string => tokens[index]?.text ?? '';
  const digitOf = (word: string): string | undefined => DIGITS.get(word);
  const several = threeDigitsAt(words, at, digitOf) ?? twoDigitsAt(words, at, digitOf);
  if (several !== null) return { ...several, spoken: true };
  const digit = DIGITS.get(token.text);
  const zeros = digit !== undefined && digit !== '0' ? MAGNITUDES.get(next?.text ?? '') : undefined;
  if (digit !== undefined && zeros !== undefined) return { digits: digit + zeros, length: 2, spoken: true };
  return digit === undefined ? undefined : { digits: digit, length: 1, spoken: true };
}

function joins(text: string, tokens: readonly Token[], from: number, to: number): boolean {
  if (to - from - 1 > MAX_FILLERS) return false;
  for (let at = from; at < to; at += 1) {
    const gap = text.slice((tokens[at] as Token).end, (tokens[at + 1] as Token).start);
    if (!SEPARATOR.test(gap)) return false;
    if (at > from && !FILLERS.has((tokens[at] as Token).text)) return false;
  }
  return true;
}

class RunBuilder {
  readonly runs: DigitAtom[][] = [];
  #run: DigitAtom[] = [];
  #last = -1;

  add(atom: DigitAtom, lastToken: number, continues: boolean): void {
    if (!continues) this.close();
    this.#run.push(atom);
    this.#last = lastToken;
  }

  get last(): number {
    return this.#run.length === 0 ? -1 : this.#last;
  }

  close(): void {
    if (this.#run.length > 0) this.runs.push(this.#run);
    this.#run = [];
  }
}

export interface DigitReadingRules {
  /** `um` is no digit, as in English. */
  readonly hesitations?: boolean;
  /** `oh` is a leading zero and no exclamation. */
  readonly leadingZeros?: boolean;
  /** `for` and similar words are digits next to digits. */
  readonly homophones?: boolean;
}

function homophoneAt(
  text: string,
  tokens: readonly Token[],
  at: number,
  continues: boolean,
  reading: DigitReadingRules,
) {
  const digits = HOMOPHONES.get((tokens[at] as Token).text);
  if (digits === undefined) return undefined;
  const before =
    at + 1 < tokens.length && joins(text, tokens, at, at + 1) && numberAt(tokens, at + 1, reading);
  return continues || before ? { digits, length: 1, spoken: true } : undefined;
}

const leads = (text: string, tokens: readonly Token[], at: number, reading: DigitReadingRules): boolean => {
  const next = tokens[at + 1];
  if (!next || !/^\s+$/.test(text.slice((tokens[at] as Token).end, next.start))) return false;
  if (ZERO_LETTERS.has(next.text)) return true;
  const number = numberAt(tokens, at + 1, reading);
  return number?.digits.length === 1 || (number !== undefined && REPEATS.has(next.text));
};

export function digitRuns(text: string, reading: DigitReadingRules = {}): readonly DigitRun[] {
  const tokens = tokensOf(text);
  const builder = new RunBuilder();
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at] as Token;
    const continues = builder.last >= 0 && joins(text, tokens, builder.last, at);
    const zero =
      ZERO_LETTERS.has(token.text) &&
      (continues || (reading.leadingZeros && leads(text, tokens, at, reading)));
    const homophone = reading.homophones ? homophoneAt(text, tokens, at, continues, reading) : undefined;
    const found = zero
      ? { digits: '0', length: 1, spoken: true }
      : (homophone ?? numberAt(tokens, at, reading));
    const number = reading.hesitations && token.text === HESITATION ? undefined : found;
    if (number) {
      const end = (tokens[at + number.length - 1] as Token).end;
      builder.add(
        { digits: number.digits, start: token.start, end, spoken: number.spoken },
        at + number.length - 1,
        continues,
      );
    } else if (builder.last >= 0 && !FILLERS.has(token.text)) {
      builder.close();
    }
    at += number?.length ?? 1;
  }
  builder.close();
  return builder.runs;
}

export const digitsOf = (atoms: readonly DigitAtom[]): string => atoms.map(({ digits }) => digits).join('');

/** The lengths of the groups that a number was written or said in: single digits with a mere space between them
 * are one group. */
export function groupLengths(text: string, atoms: readonly DigitAtom[]): readonly number[] {
  const lengths: number[] = [];
  let previous: DigitAtom | null = null;
  for (const atom of atoms) {
    const gap = previous === null ? null : text.slice(previous.end, atom.start);
    const single = previous !== null && previous.digits.length === 1 && atom.digits.length === 1;
    if (single && gap !== null && /^[\s]*$/.test(gap)) lengths.push((lengths.pop() ?? 0) + 1);
    else lengths.push(atom.digits.length);
    previous = atom;
  }
  return lengths;
}

export const digitsIn = (text: string): string =>
  digitRuns(text, { homophones: true, leadingZeros: true }).map(digitsOf).join('');
