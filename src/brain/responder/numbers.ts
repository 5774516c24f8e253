import type { BrainLanguage } from '../contract.ts';
import { wordsOf } from './words.ts';

/** Number words up to ninety-nine; recognition writes larger ones in digits. */
const UNITS: Record<BrainLanguage, string> = {
  en: 'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty',
  es: 'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte',
  fr: 'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt',
  de: 'null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig',
  hi: 'शून्य एक दो तीन चार पाँच छह सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह सोलह सत्रह अठारह उन्नीस बीस',
};

const TENS: Record<BrainLanguage, Readonly<Record<string, number>>> = {
  en: { twenty: 20, thirty: 30, forty: 40, fifty: 50, sixty: 60, seventy: 70, eighty: 80, ninety: 90 },
  es: { treinta: 30, cuarenta: 40, cincuenta: 50, sesenta: 60, setenta: 70, ochenta: 80, noventa: 90 },
  fr: { vingt: 20, trente: 30, quarante: 40, cinquante: 50, soixante: 60, huitante: 80 },
  de: { dreißig: 30, vierzig: 40, fünfzig: 50, sechzig: 60, siebzig: 70, achtzig: 80, neunzig: 90 },
  hi: { तीस: 30, चालीस: 40, पचास: 50, साठ: 60, सत्तर: 70, अस्सी: 80, नब्बे: 90 },
};

const VARIANTS: Record<string, string> = {
  पांच: 'पाँच',
  छः: 'छह',
  छ: 'छह',
  ein: 'eins',
  eine: 'eins',
  una: 'uno',
  // 'un' is French as it stands.
  une: 'un',
};

/** "Una mesa" is a table, and one table: these count only where a number was asked for. */
const ARTICLES: Record<BrainLanguage, readonly string[]> = {
  en: [],
  es: ['un', 'una'],
  fr: ['un', 'une'],
  de: ['ein', 'eine'],
  hi: ['एक'],
};

/** Numbers that are one word: "fünfundzwanzig", "veinticinco". */
function compound(word: string, language: BrainLanguage): number | null {
  if (language === 'es' && word.startsWith('veinti')) {
    const rest = word.slice('veinti'.length).normalize('NFD').replace(/\p{M}/gu, '');
    const unit = UNITS.es.split(' ').indexOf(rest);
    return unit > 0 && unit < 10 ? 20 + unit : null;
  }
  if (language !== 'de') return null;
  const [unitWord = '', tenWord = ''] = word.split(
    /und(?=zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig)/,
  );
  const unit = UNITS.de.split(' ').indexOf(VARIANTS[unitWord] ?? unitWord);
  const ten = tenWord === 'zwanzig' ? 20 : TENS.de[tenWord];
  return unit > 0 && unit < 10 && ten !== undefined ? ten + unit : null;
}

/** The numbers said, in order: digits (1,200 and 3.5 too) and words. */
export function numbersIn(
  said: string,
  language: BrainLanguage,
  options: { articles: boolean } = { articles: true },
): number[] {
  const spelt = language === 'fr' ? said.replace(/quatre[- ]vingts?/gi, 'huitante') : said;
  const marked = spelt.replace(/(\d)[,\s](?=\d{3}(\D|$))/g, '$1').replace(/(\d)[.,](?=\d)/g, '$1x');
  const units = UNITS[language].split(' ');
  const tens = TENS[language];
  const numbers: number[] = [];
  let openTen = false;
  let teens = 10;
  for (const raw of wordsOf(marked)) {
    if (!options.articles && ARTICLES[language].includes(raw)) continue;
    const word = VARIANTS[raw] ?? raw;
    const digits = /^\d+(x\d+)?$/.test(word) ? Number(word.replace('x', '.')) : null;
    const unit = units.indexOf(word);
    const value = digits ?? tens[word] ?? (unit >= 0 ? unit : compound(word, language));
    if (value === null) {
      if (!['and', 'y', 'et', 'und'].includes(word)) openTen = false;
      continue;
    }
    if (openTen && digits === null && value > 0 && value < teens) numbers.push((numbers.pop() ?? 0) + value);
    else numbers.push(value);
    // "Dix-sept" is two words here, alone and after "soixante".
    openTen = digits === null && ((value >= 20 && value % 10 === 0) || (language === 'fr' && value === 10));
    // "Soixante-dix-sept" goes on to nineteen.
    teens = language === 'fr' && (value === 60 || value === 80) ? 20 : 10;
  }
  return numbers;
}
