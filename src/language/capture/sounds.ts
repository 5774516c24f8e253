import { fold, type LanguageCode } from '../text/index.ts';

type Rules = readonly (readonly [pattern: RegExp, by: string])[];

/**
 * Each language's spelling is rewritten to an alphabet of sounds, one character each: S "sh", C "ch", J "dge", Z the
 * French j, N "ny", L "ly", T "th", A "eye", O "oy", 1 to 3 the French nasal vowels.
 */
const FRENCH: Rules = [
  [/(?<=[aeiouy])ill/g, 'j'],
  [/ille/g, 'ij'],
  [/(?<=[a-zà-ÿ]{2})(?:er|ez|ets?|ée?s?)$/g, 'e'],
  [/(?<=[a-zà-ÿ])(?:eaux?|au[xdt]?|aults?)$/g, 'o'],
  [/(?<=[a-zà-ÿ]{2})[tdsxpz]+$/g, ''],
  [/(?<=[a-zà-ÿ]{2})e$/g, ''],
  [/eau|au|ô/g, 'o'],
  [/o[iyî]/g, 'wa'],
  [/[ao]in(?![aeiouyn])|[iey][nm](?![aeiouynm])/g, '2'],
  [/[ae][nm](?![aeiouynm])/g, '1'],
  [/o[nm](?![aeiouynm])/g, '3'],
  [/a[iy]|e[iy]|[éèêë]/g, 'e'],
  [/ou|û|ù/g, 'u'],
  [/eu|œu?/g, 'e'],
  [/ch/g, 'S'],
  [/ph/g, 'f'],
  [/b(?=v)/g, ''],
  [/gn/g, 'N'],
  [/qu?/g, 'k'],
  [/ge(?=[aou])|g(?=[eiéèy])|j/g, 'Z'],
  [/gu(?=[eiéèy])/g, 'g'],
  [/ç|c(?=[eiéèy])/g, 's'],
  [/c/g, 'k'],
  [/x/g, 'ks'],
  [/h/g, ''],
  [/y/g, 'i'],
];
const ENGLISH: Rules = [
  [/^kn/g, 'n'],
  [/^wr/g, 'r'],
  [/^wh/g, 'w'],
  [/tch|ch/g, 'C'],
  [/ph/g, 'f'],
  [/(?<=[aeo])igh|igh/g, 'A'],
  [/ough|augh/g, 'o'],
  [/gh/g, 'g'],
  [/sch|sh|(?<=[a-z])[tc]i(?=o)/g, 'S'],
  [/th/g, 'T'],
  [/ck/g, 'k'],
  [/dt/g, 't'],
  [/dge?|j|g(?=[eiy])/g, 'J'],
  [/c(?=[eiy])/g, 's'],
  [/c/g, 'k'],
  [/qu/g, 'kw'],
  [/x/g, 'ks'],
  [/(?<=[a-z]{2})e$/g, ''],
  [/ee|ea|ie(?!$)|ey$|ie$|y$/g, 'i'],
  [/a[iy]|e[iy]/g, 'e'],
  [/oo|ou|ew|ue/g, 'u'],
  [/oa|ow|au|aw/g, 'o'],
  [/(?<=[aeiou])h/g, ''],
  [/y/g, 'i'],
  [/z/g, 's'],
];
const GERMAN: Rules = [
  [/tsch/g, 'C'],
  [/sch|^s(?=[pt])/g, 'S'],
  [/chs/g, 'ks'],
  [/ch/g, 'x'],
  [/ck/g, 'k'],
  [/dt|th/g, 't'],
  [/ph|v/g, 'f'],
  [/w/g, 'v'],
  [/tz|z|c(?=[eiäöü])/g, 'ts'],
  [/c/g, 'k'],
  [/qu/g, 'kv'],
  [/x$|x(?=[aeiou])/g, 'ks'],
  [/ß/g, 's'],
  [/e[iy]|a[iy]/g, 'A'],
  [/eu|äu|o[iy]/g, 'O'],
  [/ie/g, 'i'],
  [/(?<=[aeiouäöü])h/g, ''],
  [/ü/g, 'y'],
  [/ä/g, 'e'],
  [/b$/g, 'p'],
  [/d$/g, 't'],
  [/g$/g, 'k'],
];
const SPANISH: Rules = [
  [/ch/g, 'C'],
  [/ll|y(?=[aeiou])/g, 'j'],
  [/ñ/g, 'N'],
  [/qu|c(?![eiéíh])/g, 'k'],
  [/gu(?=[eiéí])/g, 'g'],
  [/j|g(?=[eiéí])/g, 'x'],
  [/z|c(?=[eiéí])/g, 's'],
  [/v/g, 'b'],
  [/h/g, ''],
  [/x(?!$)/g, 'x'],
  [/y/g, 'i'],
];
const ITALIAN: Rules = [
  [/sc(?=[ei])/g, 'S'],
  [/ch/g, 'k'],
  [/gh/g, 'g'],
  [/gn/g, 'N'],
  [/gli?(?=[aeiou])/g, 'L'],
  [/ci(?=[aou])|c(?=[ei])/g, 'C'],
  [/gi(?=[aou])|g(?=[ei])/g, 'J'],
  [/qu/g, 'kw'],
  [/c/g, 'k'],
  [/z/g, 'ts'],
  [/h/g, ''],
  [/[jy]/g, 'i'],
];

const RULES: Readonly<Record<LanguageCode, Rules>> = {
  en: ENGLISH,
  hi: ENGLISH,
  de: GERMAN,
  nl: GERMAN,
  fr: FRENCH,
  es: SPANISH,
  pt: SPANISH,
  it: ITALIAN,
};

/** Returns the folded letters and digits of a text, without anything between them. */
export const lettersOf = (text: string): string =>
  fold(text.replaceAll('ß', 'ss')).replace(/[^\p{L}\p{N}]/gu, '');

const MOST_REMEMBERED = 50_000;
const remembered = new Map<string, string>();

/** Returns the sounds of one word as its spelling suggests them; words that sound alike mostly have equal ones. */
export function soundsOf(word: string, language: LanguageCode): string {
  const key = `${language} ${word}`;
  const known = remembered.get(key);
  if (known !== undefined) return known;
  let sounds = word.normalize('NFC').toLowerCase();
  for (const [pattern, by] of RULES[language]) sounds = sounds.replace(pattern, by);
  sounds = [...sounds]
    .map((sound) => (/[A-Z]/.test(sound) ? sound : fold(sound)))
    .join('')
    .replace(/(.)\1+/gu, '$1');
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(key, sounds);
  return sounds;
}
