import { fold, LANGUAGE_WORDS, type LanguageWords } from '../text/index.ts';
import type { PiiFinding } from './finding.ts';
import { DIGITS } from './lexicon.ts';
import { isHundredsWord, isNumberWord } from './number-words.ts';

const BIRTH = new RegExp(
  [
    /(?<!\p{L})(?:born|birth\s?(?:date|day)|date\s+of\s+birth|d\.?o\.?b\.?|birthday)(?!\p{L})/u,
    /(?<!\p{L})(?:nac(?:í|ió|ido|ida)|nacimiento|cumpleaños)(?!\p{L})/u,
    /(?<!\p{L})(?:née?|naissance|anniversaire|naquit)(?![\p{L}-])/u,
    /(?<!\p{L})(?:geboren|geburts(?:datum|tag)|geb\.)(?!\p{L})/u,
    /(?<!\p{L})(?:nat[oa]|nascita|compleanno)(?!\p{L})/u,
    /(?<!\p{L})(?:nasci(?:do|da|mento)?|nasceu|aniversário)(?!\p{L})/u,
    /(?<!\p{L})(?:geboortedatum|geboren|verjaardag)(?!\p{L})/u,
    /जन्म(?:तिथि|दिन|दिवस)?|पैदा/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'giu',
);

const languages: readonly LanguageWords[] = Object.values(LANGUAGE_WORDS);
const setOf = (words: readonly string[]): ReadonlySet<string> => new Set(words.map(fold));
const MONTHS = setOf([
  ...languages.flatMap(({ calendar }) => [...calendar.months, ...Object.keys(calendar.alsoMonths)]),
  ...'jan feb mar apr jun jul aug sep sept oct nov dec ene abr ago dic janv févr avr juil déc okt dez mrt mei मई जनवरी फरवरी फ़रवरी मार्च अप्रैल जून जुलाई अगस्त सितंबर सितम्बर अक्टूबर नवंबर नवम्बर दिसंबर दिसम्बर'.split(
    ' ',
  ),
]);
const ORDINALS = setOf([
  ...languages.flatMap(({ calendar }) => Object.keys(calendar.ordinals)),
  ...'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth premier primero primo primeiro'.split(
    ' ',
  ),
]);
const JOINERS = setOf(
  'of the in on de del el la le les der den dem im am di il do van op y et e en und and a oh hundred thousand cent cents cien ciento mil mille mila tausend hundert duizend honderd ihundert neunzehnhundert zweitausend सौ हज़ार हजार को में th st nd rd er'.split(
    ' ',
  ),
);
const TOKEN = /\p{Nd}+(?:st|nd|rd|th|er|º|ª|\.)?|[\p{L}\p{M}]+/gu;
const AHEAD = 60;
const BEHIND = 90;
/** A year alone is a birth date only directly behind the words of birth. */
const YEAR_AHEAD = 20;
const YEAR = /^(?:19|20)\p{Nd}{2}$/u;

const FOLDED_DIGITS = setOf([...DIGITS.keys()]);

/** "Dreiundzwanzigsten", and "drieëntwintigste" in Dutch. */
const GERMAN_ORDINAL = /(?:(?:[zsß]ig|tig)ste|zehnte|tiende)[nrms]?$/u;

const isNumber = (word: string): boolean =>
  /^\p{Nd}/u.test(word) ||
  FOLDED_DIGITS.has(word) ||
  isNumberWord(word) ||
  isHundredsWord(word) ||
  /(?:hundert|tausend|honderd|duizend|cento|mila)/u.test(word) ||
  /^(?:tw|th|fo|fi|si|se|ei|ni)\p{L}*t(?:y|ies)$/u.test(word) ||
  GERMAN_ORDINAL.test(word);

interface DateSpan {
  readonly start: number;
  readonly end: number;
}

function dateIn(text: string, from: number, to: number): DateSpan | null {
  const tokens = [...text.slice(from, to).matchAll(TOKEN)].map(({ 0: found, index }) => ({
    word: fold(found.replace(/\.$/u, '')),
    start: from + index,
    end: from + index + found.replace(/\.$/u, '').length,
  }));
  const kindOf = (word: string): 'month' | 'number' | 'joiner' | null =>
    MONTHS.has(word)
      ? 'month'
      : isNumber(word) || ORDINALS.has(word)
        ? 'number'
        : JOINERS.has(word)
          ? 'joiner'
          : null;
  for (let at = 0; at < tokens.length; at += 1) {
    const first = kindOf(tokens[at]!.word);
    if (first !== 'month' && first !== 'number') continue;
    let last = at;
    let months = 0;
    let numbers = 0;
    let digits = '';
    for (let next = at; next < tokens.length; next += 1) {
      const token = tokens[next]!;
      const kind = kindOf(token.word);
      const gap = next === at ? '' : text.slice(tokens[next - 1]!.end, token.start);
      if (kind === null || !/^[\s,./\-–']{0,4}$/u.test(gap)) break;
      if (kind === 'joiner') continue;
      last = next;
      months += kind === 'month' ? 1 : 0;
      numbers += kind === 'number' ? 1 : 0;
      digits += token.word.replace(/\P{Nd}/gu, '');
    }
    const isYear = YEAR.test(digits) && numbers === 1;
    if ((months > 0 && numbers > 0) || numbers >= 3 || digits.length >= 6 || isYear)
      return { start: tokens[at]!.start, end: tokens[last]!.end };
    at = last;
  }
  return null;
}

export function birthDateFindings(text: string): readonly PiiFinding[] {
  const findings: PiiFinding[] = [];
  for (const { 0: found, index } of text.matchAll(BIRTH)) {
    const end = index + found.length;
    const date =
      dateIn(text, end, Math.min(text.length, end + AHEAD + BEHIND)) ??
      dateIn(text, Math.max(0, index - BEHIND), index);
    const ahead = date !== null && YEAR.test(text.slice(date.start, date.end)) ? YEAR_AHEAD : AHEAD;
    if (date !== null && date.start - end <= ahead) findings.push({ type: 'BIRTH_DATE', ...date });
  }
  return findings;
}
