// Sentences have personal data at known places, or harmless numbers. The grammar shares no table with
// src/language/pii.
import type { PiiEntity } from '../../src/language/pii/index.ts';
import type { Random } from '../compliance/random.ts';
import { inTens, oneByOne, twoDigits, withRepeats } from './number-talk.ts';

export const LANGUAGES = ['en', 'es', 'fr', 'de', 'hi'] as const;
export type Language = (typeof LANGUAGES)[number];
/**
 * Hesitant values have pauses or fillers between their groups; grouped ones are said in tens and hundreds; doubled
 * ones say repeated digits as "double" or "triple".
 */
export const WAYS = ['written', 'spoken', 'hesitant', 'grouped', 'doubled'] as const;
export type Way = (typeof WAYS)[number];
export const KINDS = ['CARD', 'CVV', 'SSN', 'PHONE', 'EMAIL'] as const satisfies readonly PiiEntity[];

export interface Sentence {
  readonly language: Language;
  readonly way: Way;
  readonly text: string;
  readonly truth: { readonly type: PiiEntity; readonly start: number; readonly end: number } | null;
}

const DIGITS: Readonly<Record<Language, readonly string[]>> = {
  en: 'zero one two three four five six seven eight nine'.split(' '),
  es: 'cero uno dos tres cuatro cinco seis siete ocho nueve'.split(' '),
  fr: 'zéro un deux trois quatre cinq six sept huit neuf'.split(' '),
  de: 'null eins zwei drei vier fünf sechs sieben acht neun'.split(' '),
  hi: 'शून्य एक दो तीन चार पांच छह सात आठ नौ'.split(' '),
};
const OTHER_DIGITS: Partial<Record<Language, readonly string[]>> = {
  en: 'oh one two three four five six seven eight nine'.split(' '),
  hi: 'ज़ीरो वन टू थ्री फोर फाइव सिक्स सेवन एट नाइन'.split(' '),
};
const PAUSES: Readonly<Record<Language, readonly string[]>> = {
  en: [', ', ' uh ', ', um, ', ' and then '],
  es: [', ', ' eh ', ', eh, '],
  fr: [', ', ' euh ', ', euh, '],
  de: [', ', ' äh ', ', ähm, '],
  hi: [', ', ' अं ', ', हाँ, '],
};
const SIGNS: Readonly<Record<Language, { at: string; dot: string }>> = {
  en: { at: 'at', dot: 'dot' },
  es: { at: 'arroba', dot: 'punto' },
  fr: { at: 'arobase', dot: 'point' },
  de: { at: 'at', dot: 'Punkt' },
  hi: { at: 'एट', dot: 'डॉट' },
};
const CARRIERS: Readonly<Record<Language, Readonly<Record<(typeof KINDS)[number], readonly string[]>>>> = {
  en: {
    CARD: ['My card number is _.', 'Sure, the card is _, it is a Visa.', 'Please charge _ today.'],
    CVV: ['The security code is _.', 'My CVV is _, thanks.'],
    SSN: ['My social security number is _.', 'My social is _, if you need it.'],
    PHONE: ['You can reach me at _.', 'My phone number is _, after five.'],
    EMAIL: ['Write to _ please.', 'My email is _.'],
  },
  es: {
    CARD: ['Mi número de tarjeta es _.', 'La tarjeta es _, es una Visa.'],
    CVV: ['El código de seguridad es _.', 'Mi CVV es _, gracias.'],
    SSN: ['Mi número de seguro social es _.', 'El seguro social es _, por si acaso.'],
    PHONE: ['Mi teléfono es _.', 'Llámeme al _ por la tarde.'],
    EMAIL: ['Escríbame a _ por favor.', 'Mi correo es _.'],
  },
  fr: {
    CARD: ['Mon numéro de carte est _.', 'La carte, c’est _, une Visa.'],
    CVV: ['Le code de sécurité est _.', 'Mon cryptogramme est _, merci.'],
    SSN: ['Mon numéro de sécurité sociale est _.', 'Le numéro de sécurité sociale est _, voilà.'],
    PHONE: ['Mon numéro de téléphone est _.', 'Rappelez-moi au _ ce soir.'],
    EMAIL: ['Écrivez à _ s’il vous plaît.', 'Mon adresse mail est _.'],
  },
  de: {
    CARD: ['Meine Kartennummer ist _.', 'Die Karte ist _, eine Visa.'],
    CVV: ['Der Sicherheitscode ist _.', 'Meine Prüfnummer ist _, danke.'],
    SSN: ['Meine Sozialversicherungsnummer ist _.', 'Die Sozialversicherungsnummer lautet _, bitte.'],
    PHONE: ['Meine Telefonnummer ist _.', 'Rufen Sie mich unter _ an.'],
    EMAIL: ['Schreiben Sie an _ bitte.', 'Meine E-Mail ist _.'],
  },
  hi: {
    CARD: ['मेरा कार्ड नंबर _ है।', 'कार्ड नंबर है _।'],
    CVV: ['सीवीवी _ है।', 'मेरा सुरक्षा कोड _ है।'],
    SSN: ['मेरा सोशल सिक्योरिटी नंबर _ है।', 'सोशल सिक्योरिटी नंबर है _।'],
    PHONE: ['मेरा फ़ोन नंबर _ है।', 'मुझे _ पर फ़ोन कीजिए।'],
    EMAIL: ['मेरा ईमेल _ है।', 'कृपया _ पर लिखिए।'],
  },
};
const NOBODYS: Readonly<Record<Language, readonly string[]>> = {
  en: [
    'My order number is _.',
    'It came on March 12, 2024.',
    'It was 49.99 dollars.',
    'I waited three hours and twenty minutes.',
    'We have two rooms on floor seven.',
    'I was born in nineteen eighty four.',
    'That makes two hundred and fifty dollars.',
    'The zip code is nine four one zero five.',
    'Call me back at five thirty, or at quarter to six.',
    'My daughter is twenty two and my son is nineteen.',
    'We ordered one hundred and twenty, and got double that.',
  ],
  es: [
    'Mi pedido es el _.',
    'Llegó el 12 de marzo de 2024.',
    'Costó 49,99 euros.',
    'Esperé tres horas y veinte minutos.',
    'Nací en mil novecientos ochenta y cuatro.',
    'Son doscientos cincuenta euros.',
    'El código postal es dos ocho cero cero uno.',
  ],
  fr: [
    'Ma commande est la _.',
    'C’est arrivé le 12 mars 2024.',
    'Ça coûtait 49,99 euros.',
    'J’ai attendu trois heures et vingt minutes.',
    'Je suis né en mille neuf cent quatre-vingt-quatre.',
    'Ça fait deux cent cinquante euros.',
    'Le code postal est sept cinq zéro un un.',
  ],
  de: [
    'Meine Bestellnummer ist _.',
    'Es kam am 12. März 2024.',
    'Es kostete 49,99 Euro.',
    'Ich habe drei Stunden und zwanzig Minuten gewartet.',
    'Ich bin neunzehnhundertvierundachtzig geboren.',
    'Das macht zweihundertfünfzig Euro.',
    'Die Postleitzahl ist eins null eins eins fünf.',
    'Wir waren fünfundzwanzig Leute, und einundzwanzig kamen.',
  ],
  hi: [
    'मैं पैंतीस साल का हूँ।',
    'कुल दो हज़ार पांच सौ रुपये हुए।',
    'ट्रेन साढ़े आठ बजे आई।',
    'मेरा ऑर्डर नंबर _ है।',
    'यह 12 मार्च 2024 को आया।',
    'कीमत 499 रुपये थी।',
    'मैंने तीन घंटे इंतज़ार किया।',
  ],
};
const NAMES = ['anna', 'peter', 'maria', 'rahul', 'claire', 'jonas', 'lucia', 'sam'];
const HOSTS = ['example', 'mailbox', 'harbor', 'northwind'];

function luhn(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

/** No exchange ends in 11: those are services. */
function exchangeOf(random: Random): number {
  const exchange = random.whole(220, 899);
  return exchange % 100 === 11 ? exchange + 1 : exchange;
}

function groupsOf(
  type: (typeof KINDS)[number],
  digits: (length: number) => string,
  random: Random,
): readonly string[] {
  if (type === 'CARD') return luhn(`4${digits(14)}`).match(/.{4}/g) as string[];
  if (type === 'CVV') return [digits(3)];
  if (type === 'SSN') {
    const area = digits(3);
    const [group, serial] = [digits(2), digits(4)];
    return /^(000|666|9)/.test(area) || group === '00' || serial === '0000'
      ? groupsOf(type, digits, random)
      : [area, group, serial];
  }
  return [`${random.pick(['212', '415', '312', '646'])}`, String(exchangeOf(random)), digits(4)];
}

const repeating = (length: number, random: Random): string =>
  Array.from({ length }).reduce<string>((said) => {
    const again = said !== '' && random.whole(0, 9) < 4;
    return said + (again ? said.at(-1) : random.digits(1));
  }, '');

const MAILS: Readonly<
  Record<Language, { readonly under: string; readonly dash: string; readonly ats: readonly string[] }>
> = {
  en: { under: 'underscore', dash: 'dash', ats: ['at'] },
  es: { under: 'guion bajo', dash: 'guion', ats: ['arroba'] },
  fr: { under: 'tiret bas', dash: 'tiret', ats: ['arobase', 'arrobase'] },
  de: { under: 'Unterstrich', dash: 'Bindestrich', ats: ['at', 'ät', 'Klammeraffe'] },
  hi: { under: 'अंडरस्कोर', dash: 'डैश', ats: ['एट', 'ऐट'] },
};

function mailAsSaid(language: Language, way: Way, random: Random): string {
  const [name, other, host] = [random.pick(NAMES), random.pick(NAMES), random.pick(HOSTS)];
  const { at, dot } = SIGNS[language];
  if (way === 'written') return `${name}.${other}@${host}.com`;
  if (way !== 'grouped' && way !== 'doubled') return `${name} ${dot} ${other} ${at} ${host} ${dot} com`;
  const { under, dash, ats } = MAILS[language];
  const spelled = [...name].join(' ');
  const local =
    way === 'doubled'
      ? `${name} ${random.pick([under, dash])} ${other}`
      : `${spelled} ${twoDigits(language, String(random.whole(21, 99)))}`;
  return `${local} ${random.pick(ats)} ${host} ${dot} com`;
}

function groupsAsSaid(groups: readonly string[], way: Way, language: Language, random: Random): string[] {
  const other = random.whole(0, 3) === 0 ? OTHER_DIGITS[language] : undefined;
  const digits = other ?? DIGITS[language];
  return groups.map((group) => {
    if (way === 'grouped') return inTens(language, group, random);
    if (way === 'doubled') return withRepeats(language, group, digits, random);
    return oneByOne(group, digits);
  });
}

function personalValue(type: (typeof KINDS)[number], way: Way, language: Language, random: Random): string {
  if (type === 'EMAIL') return mailAsSaid(language, way, random);
  const groups = groupsOf(
    type,
    (length) => (way === 'doubled' ? repeating(length, random) : random.digits(length)),
    random,
  );
  if (way === 'written') return groups.join(random.pick(type === 'CARD' ? [' ', '-', ''] : ['-']));
  const said = groupsAsSaid(groups, way, language, random);
  if (way === 'hesitant')
    return said.reduce((before, group) => before + random.pick(PAUSES[language]) + group);
  return said.join(way === 'spoken' ? ' ' : random.pick([' ', ', ']));
}

/** Makes `each` sentences of every kind, way and language, and a quarter as many more without personal data. */
export function sentences(each: number, random: Random): Sentence[] {
  const made: Sentence[] = [];
  for (const language of LANGUAGES)
    for (const way of WAYS) {
      for (const type of KINDS)
        for (let at = 0; at < each; at += 1) {
          const carrier = random.pick(CARRIERS[language][type]);
          const value = personalValue(type, way, language, random);
          const start = carrier.indexOf('_');
          const text = carrier.replace('_', value);
          made.push({ language, way, text, truth: { type, start, end: start + value.length } });
        }
      for (let at = 0; at < each * 1.25; at += 1) {
        const text = random.pick(NOBODYS[language]).replace('_', random.digits(6));
        made.push({ language, way, text, truth: null });
      }
    }
  return made;
}
