import { fold, LANGUAGE_WORDS, numberLexicon } from '../text/index.ts';
import { germanDigits } from './german-numbers.ts';

const en = LANGUAGE_WORDS.en.numbers;
const es = LANGUAGE_WORDS.es.numbers;
const fr = LANGUAGE_WORDS.fr.numbers;
const hi = LANGUAGE_WORDS.hi.numbers;
const it = LANGUAGE_WORDS.it.numbers;
const pt = LANGUAGE_WORDS.pt.numbers;
const nl = LANGUAGE_WORDS.nl.numbers;
/** Ones follow "septante" as they follow "soixante". */
const OTHER_TENS = [...fr.others].filter(([, value]) => value >= 70);

/** "Dix" is left out, because only the next word completes it. */
const TWO_DIGITS: ReadonlyMap<string, number> = new Map(
  [en, es, fr, hi, it, pt, nl].flatMap((language) => {
    const counted = language.counted.map((word, value) => [word, value] as const);
    const others = language === fr ? [] : language.others;
    return [...counted, ...others].filter(([word, value]) => value >= 10 && word !== 'dix');
  }),
);

/** The words may be followed by ones after a joint: "noventa y uno" in Spanish, "noventa e um" in Portuguese. */
const TENS = new Map<string, { readonly tens: number; readonly joints: readonly string[] }>();
for (const [words, joint] of [
  [en.tens, null],
  [es.tens, 'y'],
  [fr.tens, 'et'],
  [pt.tens, 'e'],
] as const) {
  words.forEach((word, at) => {
    if (word === '') return;
    const joints = TENS.get(word)?.joints ?? [];
    TENS.set(word, { tens: at, joints: joint === null ? joints : [...joints, joint] });
  });
}
for (const [word, value] of OTHER_TENS) TENS.set(word, { tens: value / 10, joints: ['et'] });

/** Italian and Dutch write a number below a thousand as one word: "quarantadue", "tweeënveertig". */
const ONE_WORD: ReadonlyMap<string, number> = new Map(
  (['it', 'nl'] as const).flatMap((language) =>
    [...numberLexicon(language).small].filter(([, value]) => value >= 20),
  ),
);

export const isNumberWord = (word: string): boolean =>
  TWO_DIGITS.has(word) ||
  TENS.has(word) ||
  word === 'dix' ||
  ONE_WORD.has(fold(word)) ||
  germanDigits(word) !== null;

const ENGLISH_TENS: ReadonlySet<string> = new Set([
  ...en.counted.slice(10),
  ...en.tens.filter((word) => word !== ''),
]);

/** These are English words too, so they are numbers only beside others of their language. */
const ALSO_ENGLISH: ReadonlySet<string> = new Set(['once', 'quince', 'seize', 'cent', 'cents']);
const ROMANCE: ReadonlySet<string> = new Set([
  ...'cero uno dos tres cuatro cinco seis siete ocho nueve diez y once quince ciento veinte'.split(' '),
  ...'zéro un deux trois quatre cinq six sept huit neuf dix et vingt vingts cent cents'.split(' '),
  ...[...TWO_DIGITS.keys()].filter((word) =>
    /^(veinti|dieci|doce|trece|catorce|onze|douze|treize|quatorze|quinze)/.test(word),
  ),
  ...'doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos'.split(
    ' ',
  ),
  ...[...TENS].flatMap(([word, { joints }]) => (joints.length === 0 ? [] : [word])),
]);
const isNumber = (words: (at: number) => string, at: number): boolean =>
  !ALSO_ENGLISH.has(words(at)) || ROMANCE.has(words(at - 1)) || ROMANCE.has(words(at + 1));

export type DigitOf = (word: string) => string | undefined;

export interface SpokenNumberDigits {
  readonly digits: string;
  readonly length: number;
}

export function twoDigitsAt(
  words: (at: number) => string,
  at: number,
  digitOf: DigitOf,
): SpokenNumberDigits | null {
  const eighty = frenchEighty(words, at, digitOf);
  if (eighty !== null) return eighty;
  if (words(at) === 'dix') return overTen(words, at, 10, digitOf);
  const whole = TWO_DIGITS.get(words(at));
  if (whole !== undefined) return isNumber(words, at) ? { digits: String(whole), length: 1 } : null;
  const german = germanDigits(words(at));
  if (german !== null) return { digits: german, length: 1 };
  const oneWord = ONE_WORD.get(fold(words(at)));
  if (oneWord !== undefined) return { digits: String(oneWord), length: 1 };
  const found = TENS.get(words(at));
  if (found === undefined) return null;
  const joined = found.joints.includes(words(at + 1)) ? 2 : 1;
  if (words(at) === 'soixante') {
    const over = underTwenty(words, at + joined, digitOf);
    if (over !== null) return { digits: String(60 + Number(over.digits)), length: joined + over.length };
  }
  const ones = digitOf(words(at + joined));
  if (ones !== undefined && ones !== '0' && !saysEighty(words, at + joined))
    return { digits: `${found.tens}${ones}`, length: joined + 1 };
  return { digits: `${found.tens}0`, length: 1 };
}

const saysEighty = (words: (at: number) => string, at: number): boolean =>
  words(at) === 'quatre' && /^vingts?$/.test(words(at + 1));

/** Ten to nineteen are also added to "quatre-vingt". */
function frenchEighty(
  words: (at: number) => string,
  at: number,
  digitOf: DigitOf,
): SpokenNumberDigits | null {
  if (!saysEighty(words, at)) return null;
  const over = underTwenty(words, at + 2, digitOf);
  if (over !== null) return { digits: String(80 + Number(over.digits)), length: 2 + over.length };
  const ones = digitOf(words(at + 2));
  if (ones !== undefined && ones !== '0') return { digits: `8${ones}`, length: 3 };
  return { digits: '80', length: 2 };
}

function underTwenty(words: (at: number) => string, at: number, digitOf: DigitOf): SpokenNumberDigits | null {
  if (words(at) === 'dix') return overTen(words, at, 10, digitOf);
  const whole = TWO_DIGITS.get(words(at));
  return whole !== undefined &&
    whole > 10 &&
    whole < 17 &&
    /^(on|dou|trei|quator|quin|sei)ze$/.test(words(at))
    ? { digits: String(whole), length: 1 }
    : null;
}

function overTen(
  words: (at: number) => string,
  at: number,
  ten: number,
  digitOf: DigitOf,
): SpokenNumberDigits {
  const ones = /^(sept|huit|neuf)$/.test(words(at + 1)) ? Number(digitOf(words(at + 1))) : 0;
  return { digits: String(ten + ones), length: ones === 0 ? 1 : 2 };
}

const HUNDREDS: ReadonlyMap<string, string> = new Map([
  ...['cien', 'ciento', 'cent'].map((word) => [word, '1'] as const),
  ...'doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos'
    .split(' ')
    .map((word, at) => [word, String(at + 2)] as const),
  ...Object.entries(pt.hundreds)
    .filter(([word]) => word !== 'cem')
    .map(([word, value]) => [word, String(value / 100)] as const),
  ['cem', '1'],
]);
export const isHundredsWord = (word: string): boolean => HUNDREDS.has(word);

const HUNDRED = /^(cents?|सौ)$/u;

export function threeDigitsAt(
  words: (at: number) => string,
  at: number,
  digitOf: DigitOf,
): SpokenNumberDigits | null {
  const english = englishHundred(words, at, digitOf);
  if (english !== null) return english;
  const counts = HUNDRED.test(words(at + 1)) && (words(at + 1) === 'सौ' || ROMANCE.has(words(at)));
  const counted = counts ? digitOf(words(at)) : undefined;
  const hundreds = counted ?? HUNDREDS.get(words(at));
  if (hundreds === undefined || hundreds === '0' || !isNumber(words, at)) return null;
  const length = counted === undefined ? 1 : 2;
  if (words(at + length - 1) === 'cents') return { digits: `${hundreds}00`, length };
  const rest = twoDigitsAt(words, at + length, digitOf);
  if (rest !== null) return { digits: hundreds + rest.digits, length: length + rest.length };
  const ones = digitOf(words(at + length));
  if (ones !== undefined && ones !== '0') return { digits: `${hundreds}0${ones}`, length: length + 1 };
  return { digits: `${hundreds}00`, length };
}

/**
 * It reads "two hundred and twelve", "two hundred twelve" and "forty-two hundred"; digits said one by one after
 * "eight hundred" are separate.
 */
function englishHundred(
  words: (at: number) => string,
  at: number,
  digitOf: DigitOf,
): SpokenNumberDigits | null {
  const pair = ENGLISH_TENS.has(words(at)) ? twoDigitsAt(words, at, digitOf) : null;
  const ahead =
    pair ?? (digitOf(words(at)) === undefined ? null : { digits: digitOf(words(at)) as string, length: 1 });
  if (ahead === null || ahead.digits === '0' || words(at + ahead.length) !== 'hundred') return null;
  const length = ahead.length + 1;
  if (pair !== null) return { digits: `${pair.digits}00`, length };
  const and = words(at + length) === 'and' ? 1 : 0;
  const rest = ENGLISH_TENS.has(words(at + length + and))
    ? twoDigitsAt(words, at + length + and, digitOf)
    : null;
  if (rest !== null) return { digits: ahead.digits + rest.digits, length: length + and + rest.length };
  const ones = and === 1 ? digitOf(words(at + length + 1)) : undefined;
  if (ones !== undefined && ones !== '0') return { digits: `${ahead.digits}0${ones}`, length: length + 2 };
  return { digits: `${ahead.digits}00`, length };
}
