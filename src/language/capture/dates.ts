import {
  LANGUAGE_WORDS,
  type LanguageCode,
  phraseAt,
  startsClause,
  type Token,
  wordAt,
} from '../text/index.ts';
import { cardinalAt, numberAt, smallAt } from './numbers.ts';

const DAY_MS = 86_400_000;

export interface SpokenDate {
  /** The value is YYYY-MM-DD; null where the day is ambiguous, such as "5/12". */
  readonly value: string | null;
  readonly unsure: boolean;
  readonly weekday: number | null;
  readonly from: number;
  readonly to: number;
}

type Found = Pick<SpokenDate, 'value' | 'to'> & Partial<SpokenDate>;

const SUFFIX = /^(st|nd|rd|th|er|ero|o|º)$/;

const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

function validDate(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? isoDay(date.getTime()) : null;
}

/** Returns midnight (UTC) of the current day in a time zone, so that days can be counted from it. */
export function dayIn(timeZone: string, now: number): number {
  const parts = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  }).formatToParts(now);
  const part = (type: string): number => Number(parts.find((found) => found.type === type)?.value);
  return Date.UTC(part('year'), part('month') - 1, part('day'));
}

function numericDate(word: string, today: number): Pick<SpokenDate, 'value'> | null {
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(word);
  if (iso !== null) return { value: validDate(Number(iso[1]), Number(iso[2]), Number(iso[3])) };
  const said = /^(\d{1,2})[/.](\d{1,2})(?:[/.](\d{4}|\d{2}))?$/.exec(word);
  if (said === null || (!word.includes('/') && said[3] === undefined)) return null;
  const [first, second] = [Number(said[1]), Number(said[2])];
  const dotted = !word.includes('/');
  // Many countries write the day first, so the dialogue asks about "5/12".
  if (!dotted && first !== second && first <= 12 && second <= 12) return { value: null };
  const [day, month] = dotted || first > 12 ? [first, second] : [second, first];
  const year = said[3] === undefined ? null : Number(said[3]) + (said[3].length === 2 ? 2000 : 0);
  return { value: coming(month, day, year, today) };
}

function coming(month: number, day: number, year: number | null, today: number): string | null {
  const thisYear = new Date(today).getUTCFullYear();
  const date = validDate(year ?? thisYear, month, day);
  if (year !== null || date === null) return date;
  return date < isoDay(today) ? validDate(thisYear + 1, month, day) : date;
}

function dayAt(tokens: readonly Token[], at: number, language: LanguageCode) {
  const { ordinals } = LANGUAGE_WORDS[language].calendar;
  const word = wordAt(tokens, at);
  const unit = ordinals[wordAt(tokens, at + 1)];
  const ten = language !== 'en' ? 0 : word === 'twenty' ? 20 : word === 'thirty' ? 30 : 0;
  if (ten > 0 && unit !== undefined && unit < 10) return { value: ten + unit, to: at + 2, ordinal: true };
  const ordinal = ordinals[word];
  if (ordinal !== undefined) return { value: ordinal, to: at + 1, ordinal: true };
  const digits = /^\d{1,2}$/.test(word);
  const found = digits ? { value: Number(word), to: at + 1 } : smallAt(tokens, at, language);
  if (found === null || found.value < 1 || found.value > 31) return null;
  const suffix = digits && SUFFIX.test(wordAt(tokens, found.to)) && tokens[found.to]?.gap === '' ? 1 : 0;
  return { value: found.value, to: found.to + suffix, ordinal: suffix > 0 };
}

const monthAt = (tokens: readonly Token[], at: number, language: LanguageCode): number => {
  const word = wordAt(tokens, at);
  const { months, alsoMonths } = LANGUAGE_WORDS[language].calendar;
  return months.indexOf(word) + 1 || (alsoMonths[word] ?? 0);
};

function yearAt(tokens: readonly Token[], at: number, language: LanguageCode) {
  const from = at + phraseAt(tokens, at, LANGUAGE_WORDS[language].calendar.yearJoiners);
  const found = cardinalAt(tokens, from, language);
  const joined = numberAt(tokens, from, language);
  return [found, joined].find((year) => year !== null && year.value >= 1900 && year.value <= 2200) ?? null;
}

function monthDay(tokens: readonly Token[], at: number, language: LanguageCode, today: number): Found | null {
  const month = monthAt(tokens, at, language);
  const joiner = (from: number): number =>
    from + phraseAt(tokens, from, LANGUAGE_WORDS[language].calendar.joiners);
  if (month > 0) {
    const day = dayAt(tokens, joiner(at + 1), language);
    return day === null ? null : dated(tokens, { month, day: day.value, to: day.to }, language, today);
  }
  const day = dayAt(tokens, at, language);
  if (day === null) return null;
  const named = joiner(day.to);
  const after = monthAt(tokens, named, language);
  return after === 0 ? null : dated(tokens, { month: after, day: day.value, to: named + 1 }, language, today);
}

function dated(
  tokens: readonly Token[],
  said: { month: number; day: number; to: number },
  language: LanguageCode,
  today: number,
): Found {
  const year = yearAt(tokens, said.to, language);
  return { value: coming(said.month, said.day, year?.value ?? null, today), to: year?.to ?? said.to };
}

function weekdayAt(
  tokens: readonly Token[],
  at: number,
  language: LanguageCode,
  today: number,
): Found | null {
  const { nextBefore, nextBehind, thisBefore, weekdays, alsoWeekdays } = LANGUAGE_WORDS[language].calendar;
  const first = wordAt(tokens, at);
  const next = nextBefore.includes(first);
  const modified = next || thisBefore.includes(first) ? 1 : 0;
  const word = wordAt(tokens, at + modified);
  const known = weekdays.indexOf(word);
  const wanted = known >= 0 ? known : (alsoWeekdays[word] ?? -1);
  if (wanted < 0) return null;
  const to = at + modified + 1;
  const behind = phraseAt(tokens, to, nextBehind);
  const now = new Date(today).getUTCDay();
  const ahead = (wanted - now + 7) % 7 || 7;
  // "Next Friday" on a Wednesday usually means next week's, but not always.
  const sameWeek = (wanted + 6) % 7 > (now + 6) % 7;
  const doubtful = next && language === 'en' && sameWeek;
  const value = isoDay(today + (doubtful ? ahead + 7 : ahead) * DAY_MS);
  return { value, unsure: doubtful || wanted === now, weekday: wanted, to: to + behind };
}

function daysAhead(
  tokens: readonly Token[],
  at: number,
  language: LanguageCode,
  today: number,
): Found | null {
  const { ahead, later, days, weeks } = LANGUAGE_WORDS[language].calendar;
  const lead = phraseAt(tokens, at, ahead);
  if (lead === 0 && later.length === 0) return null;
  const article = wordAt(tokens, at + lead) === 'a' ? { value: 1, to: at + lead + 1 } : null;
  const count = article ?? cardinalAt(tokens, at + lead, language);
  if (count === null || count.value > 400 || !Number.isInteger(count.value)) return null;
  const unit = wordAt(tokens, count.to);
  const length = days.includes(unit) ? 1 : weeks.includes(unit) ? 7 : 0;
  const behind = phraseAt(tokens, count.to + 1, later);
  if (length === 0 || (behind === 0 && lead === 0)) return null;
  return { value: isoDay(today + count.value * length * DAY_MS), to: count.to + 1 + behind };
}

/** It reads "on the fifth", "el día 5", "le 5", "5 तारीख" as the next such day, which is doubtful until confirmed. */
function dayOfMonth(
  tokens: readonly Token[],
  at: number,
  language: LanguageCode,
  today: number,
): Found | null {
  const { dayLeads, dayTails } = LANGUAGE_WORDS[language].calendar;
  const lead = phraseAt(tokens, at, dayLeads);
  if (lead === 0 && dayTails.length === 0) return null;
  const day = dayAt(tokens, at + lead, language);
  if (day === null || (language === 'en' && !day.ordinal)) return null;
  const tail = phraseAt(tokens, day.to, dayTails);
  const ends = startsClause(tokens[day.to]) || AFTER_DAY.has(wordAt(tokens, day.to));
  if (dayTails.length > 0 ? tail === 0 : !ends) return null;
  const now = new Date(today);
  for (let month = now.getUTCMonth() + 1; month < now.getUTCMonth() + 4; month++) {
    const date = validDate(now.getUTCFullYear() + (month > 12 ? 1 : 0), ((month - 1) % 12) + 1, day.value);
    if (date !== null && date >= isoDay(today)) return { value: date, unsure: true, to: day.to + tail };
  }
  return null;
}
const AFTER_DAY = new Set('at for in please a at around by with para por a las pour vers avec um'.split(' '));

/** "Mañana" after "la" is the morning, and "May" without a day is no month. */
function relativeAt(
  tokens: readonly Token[],
  at: number,
  language: LanguageCode,
  today: number,
): Found | null {
  if (language === 'es' && wordAt(tokens, at) === 'manana' && /^(la|esta)$/.test(wordAt(tokens, at - 1)))
    return null;
  for (const [phrase, days] of Object.entries(LANGUAGE_WORDS[language].calendar.relative)) {
    const length = phraseAt(tokens, at, [phrase]);
    if (length > 0) return { value: isoDay(today + days * DAY_MS), to: at + length };
  }
  return null;
}

export function dateAt(
  tokens: readonly Token[],
  at: number,
  language: LanguageCode,
  today: number,
): SpokenDate | null {
  const numeric = numericDate(wordAt(tokens, at), today);
  const found: Found | null =
    numeric !== null
      ? { ...numeric, to: at + 1 }
      : (relativeAt(tokens, at, language, today) ??
        daysAhead(tokens, at, language, today) ??
        monthDay(tokens, at, language, today) ??
        weekdayAt(tokens, at, language, today) ??
        dayOfMonth(tokens, at, language, today));
  return found === null ? null : { unsure: false, weekday: null, from: at, ...found };
}

/** "Friday the fifth of December" is one day, if it is a Friday. */
export function sameDay(one: SpokenDate, other: SpokenDate): SpokenDate | null {
  const [named, dated] = one.weekday !== null ? [one, other] : [other, one];
  if (named.weekday === null || dated.weekday !== null || dated.value === null) return null;
  const agrees = new Date(`${dated.value}T00:00:00Z`).getUTCDay() === named.weekday;
  return { ...dated, value: agrees ? dated.value : null, unsure: dated.unsure, from: one.from, to: other.to };
}
