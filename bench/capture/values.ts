import type { CaptureKind, CaptureRequest } from '../../src/language/capture/index.ts';
import { isLuhnValid, LANGUAGE_WORDS, numberWords } from '../../src/language/text/index.ts';

export interface Trial {
  readonly request: CaptureRequest;
  readonly value: string;
  readonly words: readonly string[];
}

export type Random = () => number;

const below = (random: Random, limit: number): number => Math.floor(random() * limit);
const digits = (random: Random, count: number): string =>
  Array.from({ length: count }, () => below(random, 10)).join('');
const sayDigit = (digit: string): string => numberWords(digit, 'en');
const sayLetter = (letter: string, random: Random): string => {
  const word = LANGUAGE_WORDS.en.spelling.alphabet[letter.charCodeAt(0) - 65] ?? letter;
  return random() < 0.3 ? `${letter} as in ${word}` : letter;
};
const letters = (random: Random, count: number): string =>
  Array.from({ length: count }, () => String.fromCharCode(65 + below(random, 26))).join('');

const TODAY = Date.UTC(2026, 10, 21);
const hints = { language: 'en', today: TODAY, currency: 'EUR' } as const;
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

const MAKERS: Partial<Readonly<Record<CaptureKind, (random: Random) => Trial>>> = {
  phone: (random) => {
    const area = `${2 + below(random, 8)}${digits(random, 2)}`;
    const national = `${area}${2 + below(random, 8)}${digits(random, 6)}`;
    return { request: { kind: 'phone', hints }, value: `+1${national}`, words: [...national].map(sayDigit) };
  },
  digits: (random) => {
    const body = `4${digits(random, 14)}`;
    const value = body + [...'0123456789'].find((digit) => isLuhnValid(body + digit));
    const length = { min: 16, max: 16 };
    const request: CaptureRequest = { kind: 'digits', hints: { ...hints, check: 'luhn', length } };
    return { request, value, words: [...value].map(sayDigit) };
  },
  code: (random) => {
    const value = letters(random, 3) + digits(random, 3);
    const length = { min: 6, max: 6 };
    const say = (char: string): string => (/\d/.test(char) ? sayDigit(char) : sayLetter(char, random));
    return { request: { kind: 'code', hints: { ...hints, length } }, value, words: [...value].map(say) };
  },
  date: (random) => {
    const [month, day] = [below(random, 12), 1 + below(random, 28)];
    const iso = (year: number) => new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);
    const value = Date.UTC(2026, month, day) < TODAY ? iso(2027) : iso(2026);
    return {
      request: { kind: 'date', hints },
      value,
      words: [`${MONTHS[month]} ${numberWords(String(day), 'en')}`],
    };
  },
  amount: (random) => {
    const [euros, cents] = [1 + below(random, 900), 10 + below(random, 89)];
    const words = [`${numberWords(String(euros), 'en')} euros and ${numberWords(String(cents), 'en')} cents`];
    return { request: { kind: 'amount', hints }, value: `${euros * 100 + cents} EUR`, words };
  },
};

export const KINDS = Object.keys(MAKERS) as CaptureKind[];

export function trialOf(kind: CaptureKind, random: Random): Trial {
  const make = MAKERS[kind];
  if (make === undefined) throw new TypeError(`no trials of ${kind}`);
  return make(random);
}
