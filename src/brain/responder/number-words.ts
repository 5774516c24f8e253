import type { BrainLanguage } from '../contract.ts';
import { fold } from './tokens.ts';

const SMALL: Record<BrainLanguage, string> = {
  en: 'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty',
  es: 'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve',
  fr: 'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize',
  de: 'null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig',
  hi: 'शून्य एक दो तीन चार पाँच छह सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह सोलह सत्रह अठारह उन्नीस बीस इक्कीस बाईस तेईस चौबीस पच्चीस छब्बीस सत्ताईस अट्ठाईस उनतीस तीस इकतीस बत्तीस तैंतीस चौंतीस पैंतीस छत्तीस सैंतीस अड़तीस उनतालीस चालीस इकतालीस बयालीस तैंतालीस चौवालीस पैंतालीस छियालीस सैंतालीस अड़तालीस उनचास पचास इक्यावन बावन तिरपन चौवन पचपन छप्पन सत्तावन अट्ठावन उनसठ साठ इकसठ बासठ तिरसठ चौंसठ पैंसठ छियासठ सड़सठ अड़सठ उनहत्तर सत्तर इकहत्तर बहत्तर तिहत्तर चौहत्तर पचहत्तर छिहत्तर सतहत्तर अठहत्तर उनासी अस्सी इक्यासी बयासी तिरासी चौरासी पचासी छियासी सत्तासी अट्ठासी नवासी नब्बे इक्यानवे बानवे तिरानवे चौरानवे पचानवे छियानवे सत्तानवे अट्ठानवे निन्यानवे',
};

const MORE: Record<BrainLanguage, Readonly<Record<string, number>>> = {
  en: { thirty: 30, forty: 40, fifty: 50, sixty: 60, seventy: 70, eighty: 80, ninety: 90 },
  es: {
    ...{ un: 1, una: 1, veintiún: 21, veintiuna: 21 },
    ...{ treinta: 30, cuarenta: 40, cincuenta: 50, sesenta: 60, setenta: 70, ochenta: 80, noventa: 90 },
  },
  fr: {
    ...{ une: 1, vingt: 20, trente: 30, quarante: 40, cinquante: 50, soixante: 60 },
    ...{ septante: 70, huitante: 80, octante: 80, nonante: 90 },
  },
  de: {
    ...{ ein: 1, eine: 1, zwo: 2 },
    ...{ dreißig: 30, vierzig: 40, fünfzig: 50, sechzig: 60, siebzig: 70, achtzig: 80, neunzig: 90 },
  },
  hi: { छः: 6, छ: 6, पन्द्रह: 15, अट्ठारह: 18, अड़तीस: 38, चवालीस: 44, ज़ीरो: 0 },
};

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
  const counted = SMALL[language].split(' ').map((word, value) => [fold(word), value] as const);
  return {
    small: new Map([...counted, ...folded(MORE[language])]),
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
