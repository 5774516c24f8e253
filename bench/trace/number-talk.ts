// People say numbers so when they do not say them digit by digit. The module shares no table with src.
import type { Random } from '../compliance/random.ts';
import type { Language } from './grammar.ts';

const words = (text: string): readonly string[] => text.split(/\s+/);

const EN = words(
  'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety',
);
const ES = words(
  'diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve treinta cuarenta cincuenta sesenta setenta ochenta noventa',
);
const ES_HUNDREDS = words(
  '_ ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos',
);
const FR = words(
  'dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt trente quarante cinquante soixante',
);
const DE = words('zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn');
const DE_TENS = words('_ _ zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig');
const HI = words(`दस ग्यारह बारह तेरह चौदह पंद्रह सोलह सत्रह अठारह उन्नीस
  बीस इक्कीस बाईस तेईस चौबीस पच्चीस छब्बीस सत्ताईस अट्ठाईस उनतीस
  तीस इकतीस बत्तीस तैंतीस चौंतीस पैंतीस छत्तीस सैंतीस अड़तीस उनतालीस
  चालीस इकतालीस बयालीस तैंतालीस चौवालीस पैंतालीस छियालीस सैंतालीस अड़तालीस उनचास
  पचास इक्यावन बावन तिरपन चौवन पचपन छप्पन सत्तावन अट्ठावन उनसठ
  साठ इकसठ बासठ तिरसठ चौंसठ पैंसठ छियासठ सड़सठ अड़सठ उनहत्तर
  सत्तर इकहत्तर बहत्तर तिहत्तर चौहत्तर पचहत्तर छिहत्तर सतहत्तर अठहत्तर उन्यासी
  अस्सी इक्यासी बयासी तिरासी चौरासी पचासी छियासी सत्तासी अट्ठासी नवासी
  नब्बे इक्यानवे बानवे तिरानवे चौरानवे पंचानवे छियानवे सत्तानवे अट्ठानवे निन्यानवे`);
const ONES: Readonly<Record<Language, readonly string[]>> = {
  en: words('zero one two three four five six seven eight nine'),
  es: words('cero uno dos tres cuatro cinco seis siete ocho nueve'),
  fr: words('zéro un deux trois quatre cinq six sept huit neuf'),
  de: words('null ein zwei drei vier fünf sechs sieben acht neun'),
  hi: words('शून्य एक दो तीन चार पांच छह सात आठ नौ'),
};
const GERMAN_ONE = 'eins';

const digit = (language: Language, value: number): string =>
  language === 'de' && value === 1 ? GERMAN_ONE : (ONES[language][value] as string);

export const oneByOne = (group: string, digits: readonly string[]): string =>
  [...group].map((one) => digits[Number(one)]).join(' ');

const english = (value: number): string => {
  const [tens, ones] = [Math.floor(value / 10), value % 10];
  if (value < 20) return EN[value - 10] as string;
  return EN[tens + 8]! + (ones === 0 ? '' : `-${ONES.en[ones]}`);
};
const spanish = (value: number): string => {
  if (value < 30) return ES[value - 10] as string;
  const ones = value % 10;
  return ES[Math.floor(value / 10) + 17]! + (ones === 0 ? '' : ` y ${ONES.es[ones]}`);
};
function french(value: number): string {
  if (value < 17) return value < 10 ? ONES.fr[value]! : FR[value - 10]!;
  if (value < 20) return FR[value - 10]!;
  if (value >= 80) return value === 80 ? 'quatre-vingts' : `quatre-vingt-${french(value - 80)}`;
  const tens = value >= 60 ? 6 : Math.floor(value / 10);
  const rest = value - tens * 10;
  if (rest === 0) return FR[tens + 8]!;
  return `${FR[tens + 8]}${rest === 1 || rest === 11 ? ' et ' : '-'}${french(rest)}`;
}
const german = (value: number): string => {
  if (value < 20) return DE[value - 10] as string;
  const ones = value % 10;
  return (ones === 0 ? '' : `${ONES.de[ones]}und`) + DE_TENS[Math.floor(value / 10)];
};

export function twoDigits(language: Language, pair: string): string {
  const value = Number(pair);
  if (value < 10) return [...pair].map((one) => digit(language, Number(one))).join(' ');
  const say = {
    en: english,
    es: spanish,
    fr: french,
    de: german,
    hi: (one: number) => HI[one - 10] as string,
  };
  return say[language](value);
}

function threeDigits(language: Language, group: string, random: Random): string {
  const hundreds = Number(group[0]);
  const [rest, value] = [group.slice(1), Number(group.slice(1))];
  if (hundreds === 0) return `${digit(language, 0)} ${twoDigits(language, rest)}`;
  const under = value < 10 ? (value === 0 ? '' : digit(language, value)) : twoDigits(language, rest);
  switch (language) {
    case 'en':
      if (value === 0) return `${ONES.en[hundreds]} hundred`;
      if (value < 10) return `${ONES.en[hundreds]} ${random.pick(['oh', 'zero'])} ${under}`;
      return `${ONES.en[hundreds]} ${random.pick(['', 'hundred ', 'hundred and '])}${under}`;
    case 'es':
      return group === '100' ? 'cien' : `${ES_HUNDREDS[hundreds]} ${under}`.trim();
    case 'fr':
      return `${hundreds === 1 ? '' : `${ONES.fr[hundreds]} `}cent${hundreds > 1 && value === 0 ? 's' : ''} ${under}`.trim();
    case 'de':
      return `${ONES.de[hundreds]}hundert${under}`;
    case 'hi':
      return `${ONES.hi[hundreds]} सौ ${under}`.trim();
  }
}

export function inTens(language: Language, group: string, random: Random): string {
  if (group.length === 3) return threeDigits(language, group, random);
  if (language === 'en' && /^[1-9]\d00$/.test(group)) return `${twoDigits('en', group.slice(0, 2))} hundred`;
  if (language === 'en' && /^[1-9]000$/.test(group)) return `${ONES.en[Number(group[0])]} thousand`;
  return (group.match(/../g) ?? []).map((pair) => twoDigits(language, pair)).join(' ');
}

const REPEATED: Readonly<Record<Language, readonly [twice: readonly string[], thrice: readonly string[]]>> = {
  en: [['double'], ['triple', 'treble']],
  es: [
    ['doble', 'dos veces'],
    ['triple', 'tres veces'],
  ],
  fr: [
    ['deux fois', 'double'],
    ['trois fois', 'triple'],
  ],
  de: [
    ['zweimal die', 'doppel', 'zweimal'],
    ['dreimal die', 'dreimal'],
  ],
  hi: [
    ['डबल', 'दो बार'],
    ['ट्रिपल', 'तीन बार'],
  ],
};

export function withRepeats(
  language: Language,
  group: string,
  digits: readonly string[],
  random: Random,
): string {
  return (group.match(/(\d)\1{0,2}/g) ?? [])
    .map((run) => {
      const word = digits[Number(run[0])] as string;
      if (run.length === 1) return word;
      return `${random.pick(REPEATED[language][run.length - 2] as readonly string[])} ${word}`;
    })
    .join(' ');
}
