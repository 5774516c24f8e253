import { LANGUAGE_WORDS } from './languages.ts';

interface Speller {
  readonly small: (value: number) => string;
  /** 100..999, from the hundreds and the words of the rest ('' for none). */
  readonly hundred: (hundreds: number, rest: string, value: number) => string;
  readonly thousand: (words: string, count: number, rest: string, restValue: number) => string;
  readonly million: (words: string, count: number, rest: string) => string;
  readonly point: string;
}

const list = (text: string): readonly string[] => text.split(' ');
const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(' ');

const { counted: EN, tens: EN_TENS } = LANGUAGE_WORDS.en.numbers;
const english: Speller = {
  small: (n) => (n < 20 ? EN[n]! : EN_TENS[Math.floor(n / 10)]! + (n % 10 ? `-${EN[n % 10]}` : '')),
  hundred: (h, rest) => joined(EN[h]!, 'hundred', rest),
  thousand: (words, _count, rest) => joined(words, 'thousand', rest),
  million: (words, _count, rest) => joined(words, 'million', rest),
  point: 'point',
};

const { counted: ES, tens: ES_TENS } = LANGUAGE_WORDS.es.numbers;
const ES_HUNDREDS = list(
  '_ ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos',
);
const un = (words: string): string => words.replace(/veintiuno$/, 'veintiún').replace(/uno$/, 'un');
const spanish: Speller = {
  small: (n) => (n < 30 ? ES[n]! : ES_TENS[Math.floor(n / 10)]! + (n % 10 ? ` y ${ES[n % 10]}` : '')),
  hundred: (h, rest) => (h === 1 && rest === '' ? 'cien' : joined(ES_HUNDREDS[h]!, rest)),
  thousand: (words, count, rest) => joined(count === 1 ? '' : un(words), 'mil', rest),
  million: (words, count, rest) => joined(un(words), count === 1 ? 'millón' : 'millones', rest),
  point: 'coma',
};

const FR = [...LANGUAGE_WORDS.fr.numbers.counted, 'dix-sept', 'dix-huit', 'dix-neuf'];
const FR_TENS = [...LANGUAGE_WORDS.fr.numbers.tens, 'soixante', 'quatre-vingt', 'quatre-vingt'];
function frenchSmall(n: number): string {
  if (n < 20) return FR[n]!;
  const tens = Math.floor(n / 10);
  const over = tens === 7 || tens === 9 ? n - (tens - 1) * 10 : n % 10;
  if (over === 0) return tens === 8 ? 'quatre-vingts' : FR_TENS[tens]!;
  if ((over === 1 || over === 11) && tens < 8) return `${FR_TENS[tens]} et ${FR[over]}`;
  return `${FR_TENS[tens]}-${FR[over]}`;
}
const french: Speller = {
  small: frenchSmall,
  hundred: (h, rest) => joined(h === 1 ? '' : FR[h]!, h > 1 && rest === '' ? 'cents' : 'cent', rest),
  thousand: (words, count, rest) =>
    joined(count === 1 ? '' : words.replace(/(cent|vingt)s$/, '$1'), 'mille', rest),
  million: (words, count, rest) => joined(words, count === 1 ? 'million' : 'millions', rest),
  point: 'virgule',
};

const { counted: DE, tens: DE_TENS } = LANGUAGE_WORDS.de.numbers;
const ein = (words: string): string => words.replace(/eins$/, 'ein');
const german: Speller = {
  small: (n) => (n < 20 ? DE[n]! : (n % 10 ? `${ein(DE[n % 10]!)}und` : '') + DE_TENS[Math.floor(n / 10)]!),
  hundred: (h, rest) => `${ein(DE[h]!)}hundert${rest}`,
  thousand: (words, _count, rest) => `${ein(words)}tausend${rest}`,
  million: (words, count, rest) => joined(count === 1 ? 'eine Million' : `${words} Millionen`, rest),
  point: 'Komma',
};

const { counted: NL, tens: NL_TENS } = LANGUAGE_WORDS.nl.numbers;
const dutch: Speller = {
  small: (n) => {
    if (n < 20) return NL[n]!;
    const unit = n % 10;
    const link = unit === 2 || unit === 3 ? 'ën' : 'en';
    return (unit ? NL[unit] + link : '') + NL_TENS[Math.floor(n / 10)]!;
  },
  hundred: (h, rest) => `${h === 1 ? '' : NL[h]}honderd${rest}`,
  thousand: (words, count, rest) => joined(`${count === 1 ? '' : words}duizend`, rest),
  million: (words, _count, rest) => joined(words, 'miljoen', rest),
  point: 'komma',
};

const { counted: IT, tens: IT_TENS } = LANGUAGE_WORDS.it.numbers;
const italian: Speller = {
  small: (n) => {
    if (n < 20) return IT[n]!;
    const unit = n % 10;
    const tens = IT_TENS[Math.floor(n / 10)]!;
    if (unit === 0) return tens;
    return (unit === 1 || unit === 8 ? tens.slice(0, -1) : tens) + (unit === 3 ? 'tré' : IT[unit]);
  },
  hundred: (h, rest) => `${h === 1 ? '' : IT[h]}cento${rest}`,
  thousand: (words, count, rest) => `${count === 1 ? 'mille' : `${words}mila`}${rest}`,
  million: (words, count, rest) => joined(count === 1 ? 'un milione' : `${words} milioni`, rest),
  point: 'virgola',
};

const { counted: PT, tens: PT_TENS } = LANGUAGE_WORDS.pt.numbers;
const PT_HUNDREDS = list(
  '_ cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos',
);
const portuguese: Speller = {
  small: (n) => (n < 20 ? PT[n]! : PT_TENS[Math.floor(n / 10)]! + (n % 10 ? ` e ${PT[n % 10]}` : '')),
  hundred: (h, rest) => (rest === '' ? (h === 1 ? 'cem' : PT_HUNDREDS[h]!) : `${PT_HUNDREDS[h]} e ${rest}`),
  thousand: (words, count, rest, value) =>
    joined(
      count === 1 ? '' : words,
      'mil',
      rest !== '' && (value < 100 || value % 100 === 0) ? 'e' : '',
      rest,
    ),
  million: (words, count, rest) => joined(words, count === 1 ? 'milhão' : 'milhões', rest),
  point: 'vírgula',
};

const HI = LANGUAGE_WORDS.hi.numbers.counted;

const SPELLERS: Readonly<Record<string, Speller>> = {
  en: english,
  es: spanish,
  fr: french,
  de: german,
  nl: dutch,
  it: italian,
  pt: portuguese,
};

const LARGEST = 999_999_999;

function spell(value: number, speller: Speller): string {
  if (value < 100) return speller.small(value);
  const rest = (unit: number): string => (value % unit === 0 ? '' : spell(value % unit, speller));
  if (value < 1000) return speller.hundred(Math.floor(value / 100), rest(100), value);
  if (value < 1_000_000) {
    const count = Math.floor(value / 1000);
    return speller.thousand(spell(count, speller), count, rest(1000), value % 1000);
  }
  const count = Math.floor(value / 1_000_000);
  return speller.million(spell(count, speller), count, rest(1_000_000));
}

/** Hindi counts in hundreds, thousands, lakhs and crores. */
function spellHindi(value: number): string {
  for (const [unit, name] of [
    [10_000_000, 'करोड़'],
    [100_000, 'लाख'],
    [1000, 'हज़ार'],
    [100, 'सौ'],
  ] as const) {
    if (value < unit) continue;
    const rest = value % unit;
    return joined(spellHindi(Math.floor(value / unit)), name, rest === 0 ? '' : spellHindi(rest));
  }
  return HI[value]!;
}

const cardinal = (value: number, language: string): string =>
  language === 'hi' ? spellHindi(value) : spell(value, SPELLERS[language] ?? english);

const ASCII: Readonly<Record<string, string>> = Object.fromEntries(
  [...'०१२३४५६७८९'].map((digit, value) => [digit, String(value)]),
);

/** Writes a number as words. One that is no quantity, by its length or its leading zero, is read digit by digit. */
export function numberWords(written: string, language: string): string {
  const text = written.replace(/[०-९]/g, (digit) => ASCII[digit] as string);
  const grouped = /^\d{1,3}([.,]\d{3})+$/.test(text);
  const [whole = '', fraction] = grouped ? [text.replace(/[.,]/g, '')] : text.split(/[.,]/);
  const quantity = Number(whole) <= LARGEST && !/^0\d/.test(whole);
  const digits = (part: string): string =>
    [...part].map((digit) => cardinal(Number(digit), language)).join(' ');
  const first = quantity ? cardinal(Number(whole), language) : digits(whole);
  if (fraction === undefined) return first;
  const point = language === 'hi' ? 'दशमलव' : (SPELLERS[language] ?? english).point;
  return `${first} ${point} ${digits(fraction)}`;
}
