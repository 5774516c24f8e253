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
  fr: { vingt: 20, trente: 30, quarante: 40, cinquante: 50, soixante: 60 },
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
  une: 'un',
};

/** The numbers said, in order: digits (1,200 and 3.5 too) and words. */
export function numbersIn(said: string, language: BrainLanguage): number[] {
  const marked = said.replace(/(\d)[,\s](?=\d{3}(\D|$))/g, '$1').replace(/(\d)[.,](?=\d)/g, '$1x');
  const units = UNITS[language].split(' ');
  const tens = TENS[language];
  const numbers: number[] = [];
  let openTen = false;
  for (const raw of wordsOf(marked)) {
    const word = VARIANTS[raw] ?? raw;
    const digits = /^\d+(x\d+)?$/.test(word) ? Number(word.replace('x', '.')) : null;
    const unit = units.indexOf(word);
    const value = digits ?? tens[word] ?? (unit >= 0 ? unit : null);
    if (value === null) {
      if (!['and', 'y', 'et', 'und'].includes(word)) openTen = false;
      continue;
    }
    if (openTen && digits === null && value > 0 && value < 10) numbers.push((numbers.pop() ?? 0) + value);
    else numbers.push(value);
    openTen = digits === null && value >= 20;
  }
  return numbers;
}
