import { CARDINALS } from '../../platform/cardinals.ts';
import type { BrainLanguage } from '../contract.ts';
import { fold } from './tokens.ts';

/** Words that multiply what stands before them, or are their own number. */
const HUNDREDS: Record<BrainLanguage, Readonly<Record<string, number>>> = {
  en: { hundred: 100 },
  es: {
    ...{ cien: 100, ciento: 100, doscientos: 200, trescientos: 300, cuatrocientos: 400, quinientos: 500 },
    ...{ seiscientos: 600, setecientos: 700, ochocientos: 800, novecientos: 900 },
    ...{ doscientas: 200, trescientas: 300, cuatrocientas: 400, quinientas: 500 },
    ...{ seiscientas: 600, setecientas: 700, ochocientas: 800, novecientas: 900 },
  },
  fr: { cent: 100, cents: 100 },
  de: { hundert: 100, einhundert: 100 },
  hi: { सौ: 100 },
};

const SCALES: Record<BrainLanguage, Readonly<Record<string, number>>> = {
  en: { thousand: 1000, million: 1_000_000 },
  es: { mil: 1000, millón: 1_000_000, millones: 1_000_000 },
  fr: { mille: 1000, million: 1_000_000, millions: 1_000_000 },
  de: { tausend: 1000, eintausend: 1000, million: 1_000_000, millionen: 1_000_000 },
  hi: { हज़ार: 1000, लाख: 100_000, करोड़: 10_000_000 },
};

/** "Una mesa" is a table, and one table. */
const ARTICLES: Record<BrainLanguage, string> = {
  en: '',
  es: 'un una',
  fr: 'un une',
  de: 'ein eine',
  hi: 'एक',
};

const folded = (words: Readonly<Record<string, number>>): ReadonlyMap<string, number> =>
  new Map(Object.entries(words).map(([word, value]) => [fold(word), value]));

export interface NumberWords {
  readonly small: ReadonlyMap<string, number>;
  readonly hundreds: ReadonlyMap<string, number>;
  readonly scales: ReadonlyMap<string, number>;
  readonly articles: ReadonlySet<string>;
}

function lexicon(language: BrainLanguage): NumberWords {
  const { counted, tens, others } = CARDINALS[language];
  const joined = tens.flatMap((word, at) => (word === '' ? [] : [[word, at * 10] as const]));
  const small = [...counted.map((word, value) => [word, value] as const), ...joined, ...others];
  return {
    small: new Map(small.map(([word, value]) => [fold(word), value])),
    hundreds: folded(HUNDREDS[language]),
    scales: folded(SCALES[language]),
    articles: new Set(ARTICLES[language].split(' ').map(fold)),
  };
}

export const NUMBER_WORDS: Record<BrainLanguage, NumberWords> = {
  en: lexicon('en'),
  es: lexicon('es'),
  fr: lexicon('fr'),
  de: lexicon('de'),
  hi: lexicon('hi'),
};

export const MINUS = new Set(['-', 'minus', 'negative', 'menos', 'moins', 'माइनस', 'ऋण'].map(fold));
export const POINTS: Record<BrainLanguage, ReadonlySet<string>> = {
  en: new Set(['point']),
  es: new Set(['coma', 'punto']),
  fr: new Set(['virgule', 'point']),
  de: new Set(['komma']),
  hi: new Set(['दशमलव', 'पॉइंट', 'पॉइन्ट'].map(fold)),
};
export const HALVES: Record<BrainLanguage, readonly string[]> = {
  en: ['and a half'],
  es: ['y medio', 'y media'],
  fr: ['et demi', 'et demie'],
  de: [],
  hi: [],
};
/** "Double five" is 55. */
export const REPEATS = new Map(
  Object.entries({ double: 2, triple: 3, doble: 2, डबल: 2, ट्रिपल: 3 }).map(([word, times]) => [
    fold(word),
    times,
  ]),
);
/** "Oh" among digits is a zero. */
export const ZEROS = new Set(['oh', 'o']);
