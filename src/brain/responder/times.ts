import type { BrainLanguage } from '../contract.ts';
import { numbersIn } from './numbers.ts';
import { wordsOf } from './words.ts';

const DAY_MS = 86_400_000;

const WEEKDAYS: Record<BrainLanguage, string> = {
  en: 'sunday monday tuesday wednesday thursday friday saturday',
  es: 'domingo lunes martes miércoles jueves viernes sábado',
  fr: 'dimanche lundi mardi mercredi jeudi vendredi samedi',
  de: 'sonntag montag dienstag mittwoch donnerstag freitag samstag',
  hi: 'रविवार सोमवार मंगलवार बुधवार गुरुवार शुक्रवार शनिवार',
};

const MONTHS: Record<BrainLanguage, string> = {
  en: 'january february march april may june july august september october november december',
  es: 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
  fr: 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre',
  de: 'januar februar märz april mai juni juli august september oktober november dezember',
  hi: 'जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर',
};

/** Days from today, longest wording first. In Hindi "कल" is taken as tomorrow: a slot asks for what is to come. */
const RELATIVE: Record<BrainLanguage, readonly (readonly [RegExp, number])[]> = {
  en: [
    [/day after tomorrow/i, 2],
    [/tomorrow/i, 1],
    [/\btoday\b/i, 0],
  ],
  es: [
    [/pasado mañana/i, 2],
    [/(?<!la )mañana/i, 1],
    [/\bhoy\b/i, 0],
  ],
  fr: [
    [/après[- ]demain/i, 2],
    [/\bdemain\b/i, 1],
    [/aujourd'hui/i, 0],
  ],
  de: [
    [/übermorgen/i, 2],
    [/\bmorgen\b/i, 1],
    [/\bheute\b/i, 0],
  ],
  hi: [
    [/परसों/u, 2],
    [/कल/u, 1],
    [/आज/u, 0],
  ],
};

/** The date said, as YYYY-MM-DD, taken as the next one from `now` (UTC). */
export function dateIn(said: string, language: BrainLanguage, now: number): string | null {
  const iso = /\b(\d{4})-(\d{2})-(\d{2})\b/.exec(said);
  if (iso !== null) return validDate(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const relative = RELATIVE[language].find(([pattern]) => pattern.test(said));
  if (relative !== undefined) return isoDay(now + relative[1] * DAY_MS);
  const words = wordsOf(said);
  return monthDay(words, said, language, now) ?? weekday(words, language, now);
}

function monthDay(
  words: readonly string[],
  said: string,
  language: BrainLanguage,
  now: number,
): string | null {
  const month = MONTHS[language].split(' ').findIndex((name) => words.includes(name)) + 1;
  if (month === 0) return null;
  const spoken = numbersIn(said.replace(/(\d)(st|nd|rd|th|er|\.)(?=\s|$)/gi, '$1'), language);
  const day = spoken.find((number) => number >= 1 && number <= 31);
  if (day === undefined) return null;
  const year = spoken.find((number) => number >= 1900 && number <= 2200);
  const thisYear = new Date(now).getUTCFullYear();
  const date = validDate(year ?? thisYear, month, day);
  return date !== null && year === undefined && date < isoDay(now)
    ? validDate(thisYear + 1, month, day)
    : date;
}

function weekday(words: readonly string[], language: BrainLanguage, now: number): string | null {
  const wanted = WEEKDAYS[language].split(' ').findIndex((name) => words.includes(name));
  if (wanted < 0) return null;
  const ahead = (wanted - new Date(now).getUTCDay() + 7) % 7 || 7;
  return isoDay(now + ahead * DAY_MS);
}

const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

function validDate(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? isoDay(date.getTime()) : null;
}

const AFTERNOON =
  /\b(pm|p\.m\.?|afternoon|evening|tonight|de la (tarde|noche)|de l'après-midi|du soir|nachmittags?|abends?)\b|शाम|रात|दोपहर/iu;
const MORNING = /\b(am|a\.m\.?|morning|de la mañana|du matin|morgens|vormittags?)|सुबह/iu;

/** The time of day said, as HH:MM. */
export function timeIn(said: string, language: BrainLanguage): string | null {
  if (/\b(noon|mediodía|midi|mittags?)\b/i.test(said)) return '12:00';
  if (/\b(midnight|medianoche|minuit|mitternacht)\b/i.test(said)) return '00:00';
  const clock = /\b(\d{1,2})(?:[:.h](\d{2}))?\b/.exec(said);
  const spoken = numbersIn(said, language);
  const hour = clock === null ? spoken[0] : Number(clock[1]);
  const minute = clock === null ? (spoken[1] ?? 0) : Number(clock[2] ?? 0);
  if (hour === undefined || hour > 23 || minute > 59 || !Number.isInteger(hour)) return null;
  const afternoon = AFTERNOON.test(said) && hour < 12;
  const midnight = MORNING.test(said) && hour === 12;
  return `${String(afternoon ? hour + 12 : midnight ? 0 : hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}
