import {
  LANGUAGE_WORDS,
  type LanguageCode,
  type PartOfDay,
  phraseAt,
  startsClause,
  type Token,
  wordAt,
} from '../text/index.ts';
import { HINDI_PARTS, smallAt } from './numbers.ts';

export interface SpokenTime {
  readonly hour: number;
  readonly minute: number;
  readonly sure: boolean;
  readonly from: number;
  readonly to: number;
}

interface Clock {
  readonly hour: number;
  readonly minute: number;
  readonly to: number;
  readonly sure?: boolean;
}

const GREETING = /^(good|buenas|bonne|guten|buona|boa|goeden)$/;
const LINKS = new Set([
  'in',
  'the',
  'at',
  'this',
  'de',
  'por',
  'en',
  'la',
  'esta',
  'du',
  'l',
  'au',
  'le',
  'am',
  'को',
  'के',
  'del',
  'di',
  'da',
  's',
]);

interface PartSaid {
  readonly part: PartOfDay;
  readonly at: number;
  readonly to: number;
}

export function partsIn(tokens: readonly Token[], language: LanguageCode): PartSaid[] {
  const found: PartSaid[] = [];
  for (let at = 0; at < tokens.length; at++) {
    for (const [phrase, part, before] of LANGUAGE_WORDS[language].clock.parts) {
      const length = phraseAt(tokens, at, [phrase]);
      const previous = wordAt(tokens, at - 1);
      if (length === 0 || GREETING.test(previous) || (before && !before.includes(previous))) continue;
      found.push({ part, at, to: at + length });
      break;
    }
  }
  return found;
}

function hourIn(part: PartOfDay, hour: number): number {
  if (hour > 12) return hour;
  switch (part) {
    case 'morning':
      return hour % 12;
    case 'afternoon':
      return hour <= 9 ? hour + 12 : hour;
    case 'evening':
      return (hour % 12) + 12;
    case 'night':
      return hour === 12 ? 0 : hour >= 6 ? hour + 12 : hour;
  }
}

export function inPartOfDay(clock: Clock & { from: number }, parts: readonly PartSaid[]): SpokenTime {
  const distance = ({ at, to }: PartSaid): number => (at >= clock.to ? at - clock.to : clock.from - to);
  const [nearest] = [...parts].sort((a, b) => distance(a) - distance(b));
  const { hour, minute, from, to } = clock;
  // Twelve alone is noon; thirteen and more, and zero, need no half of the day.
  const plain = { hour, minute, sure: clock.sure ?? (hour === 0 || hour >= 12), from, to };
  if (nearest === undefined || clock.sure) return plain;
  const inPart = { ...plain, hour: hourIn(nearest.part, hour), sure: true };
  return distance(nearest) <= 3 && nearest.at >= to ? { ...inPart, to: nearest.to } : inPart;
}

/** "At N" is an hour only before one of these words or the end. */
const AFTER_HOUR = new Set(
  'on for with in please and tomorrow today tonight this next sharp thanks thank or if under if by to until the monday tuesday wednesday thursday friday saturday sunday el la los para por y de con manana hoy pasado lunes martes miercoles jueves viernes sabado domingo en si bitte fur am mit morgen heute'.split(
    ' ',
  ),
);

function hourAt(tokens: readonly Token[], at: number, language: LanguageCode) {
  const word = wordAt(tokens, at);
  const found = /^\d{1,2}$/.test(word) ? { value: Number(word), to: at + 1 } : smallAt(tokens, at, language);
  return found === null || found.value > 24 ? null : { value: found.value % 24, to: found.to };
}

function minuteAt(tokens: readonly Token[], at: number, language: LanguageCode) {
  const token = tokens[at];
  if (token === undefined || !/^[\s-]*$/.test(token.gap)) return null;
  if (/^(oh|o)$/.test(token.text)) {
    const unit = smallAt(tokens, at + 1, language);
    return unit === null || unit.value > 9 ? null : unit;
  }
  const found = /^\d{2}$/.test(token.text)
    ? { value: Number(token.text), to: at + 1 }
    : smallAt(tokens, at, language);
  return found === null || found.value > 59 ? null : found;
}

function shifted(hour: number, minutes: number): { hour: number; minute: number } {
  // "Quarter to one" is 12:45 on a clock face, but may be of the 24-hour day.
  const whole = minutes < 0 ? (hour === 1 ? 12 : (hour + 23) % 24) : hour;
  return { hour: whole, minute: (minutes + 60) % 60 };
}

function behindHour(tokens: readonly Token[], at: number, language: LanguageCode) {
  const { behind, signs } = LANGUAGE_WORDS[language].clock;
  for (const [phrase, minutes] of Object.entries(behind)) {
    const length = phraseAt(tokens, at, [phrase]);
    if (length > 0) return { value: minutes, to: at + length };
  }
  const sign = signs[wordAt(tokens, at)];
  if (sign !== undefined) {
    const minutes = minuteAt(tokens, at + 1, language);
    return minutes === null || minutes.value === 0 ? null : { value: sign * minutes.value, to: minutes.to };
  }
  return null;
}

function englishRelative(tokens: readonly Token[], at: number): Clock | null {
  const article = wordAt(tokens, at) === 'a' ? 1 : 0;
  const word = wordAt(tokens, at + article);
  const named = word === 'half' ? 30 : word === 'quarter' ? 15 : null;
  const counted = named === null ? smallAt(tokens, at, 'en') : null;
  const digits = /^\d{1,2}$/.test(wordAt(tokens, at))
    ? { value: Number(wordAt(tokens, at)), to: at + 1 }
    : null;
  const minutes = named === null ? (counted ?? digits) : { value: named, to: at + article + 1 };
  if (minutes === null || minutes.value < 1 || minutes.value > 59) return null;
  const said = /^minutes?$/.test(wordAt(tokens, minutes.to)) ? 1 : 0;
  const link = wordAt(tokens, minutes.to + said);
  const half = named === 30 && hourAt(tokens, minutes.to, 'en') !== null;
  const after = /^(past|after)$/.test(link);
  const before = /^(to|before|of|til|till)$/.test(link) && named !== 30;
  const plain = named !== null || said === 1 || minutes.value % 5 === 0;
  if (!half && !(after || before)) return null;
  if (before && (!plain || /^(from|between)$/.test(wordAt(tokens, at - 1)))) return null;
  const hour = hourAt(tokens, half ? minutes.to : minutes.to + said + 1, 'en');
  if (hour === null || (link === 'of' && named === null)) return null;
  const shift = shifted(hour.value, before ? -minutes.value : minutes.value);
  return {
    ...shift,
    to: hour.to + (wordAt(tokens, hour.to) === 'clock' ? 1 : phraseAt(tokens, hour.to, ['o clock'])),
  };
}

function germanicRelative(tokens: readonly Token[], at: number, language: LanguageCode): Clock | null {
  const { halfTo, quarters, past, to } = LANGUAGE_WORDS[language].clock;
  if (halfTo.includes(wordAt(tokens, at))) {
    const hour = hourAt(tokens, at + 1, language);
    return hour === null ? null : { ...shifted(hour.value, -30), to: hour.to };
  }
  const quarter = quarters.includes(wordAt(tokens, at));
  const minutes = quarter ? { value: 15, to: at + 1 } : minuteAt(tokens, at, language);
  if (minutes === null) return null;
  const link = wordAt(tokens, minutes.to);
  if (!past.includes(link) && !to.includes(link)) return null;
  const half = halfTo.includes(wordAt(tokens, minutes.to + 1)) ? 1 : 0;
  const hour = hourAt(tokens, minutes.to + 1 + half, language);
  if (hour === null) return null;
  const shift = (to.includes(link) ? -minutes.value : minutes.value) - half * 30;
  return { ...shifted(hour.value, shift), to: hour.to };
}

/** It reads "साढ़े सात बजे", "डेढ़ बजे", "सात बजकर तीस मिनट". */
function hindiClock(tokens: readonly Token[], at: number): Clock | null {
  const part = HINDI_PARTS.get(wordAt(tokens, at));
  if (part !== undefined) {
    const hour =
      part.whole === undefined ? hourAt(tokens, at + 1, 'hi') : { value: Math.floor(part.whole), to: at + 1 };
    if (hour === null || !LANGUAGE_WORDS.hi.clock.hours.includes(wordAt(tokens, hour.to))) return null;
    const minutes = part.whole === undefined ? part.add * 60 : 30;
    return { ...shifted(hour.value, minutes), to: hour.to + 1 };
  }
  const hour = hourAt(tokens, at, 'hi');
  const past = hour === null ? 0 : phraseAt(tokens, hour.to, LANGUAGE_WORDS.hi.clock.pastBehind);
  if (hour === null || past === 0) return null;
  const minutes = minuteAt(tokens, hour.to + past, 'hi');
  if (minutes === null) return null;
  const unit = phraseAt(tokens, minutes.to, LANGUAGE_WORDS.hi.clock.minutes);
  return { hour: hour.value, minute: minutes.value, to: minutes.to + unit };
}

function writtenClock(tokens: readonly Token[], at: number, language: LanguageCode): Clock | null {
  const word = wordAt(tokens, at);
  const found = /^(\d{1,2})[:h](\d{2})$/.exec(word);
  const run = /^(\d{1,2})(\d{2})$/.exec(word);
  const meridiem = /^[ap]m$/.test(wordAt(tokens, at + 1));
  const [, hour, minute] = found ?? (meridiem ? run : null) ?? [];
  if (hour === undefined || Number(hour) > 24 || Number(minute) > 59) return null;
  const to = at + 1 + phraseAt(tokens, at + 1, LANGUAGE_WORDS[language].clock.hours);
  return {
    hour: Number(hour) % 24,
    minute: Number(minute),
    to,
    ...(/^0\d/.test(hour) ? { sure: true } : {}),
  };
}

function withMeridiem(tokens: readonly Token[], clock: Clock): Clock {
  const meridiem = wordAt(tokens, clock.to);
  if (!/^[ap]m$/.test(meridiem) || clock.hour > 12) return clock;
  return { ...clock, hour: (clock.hour % 12) + (meridiem === 'pm' ? 12 : 0), to: clock.to + 1, sure: true };
}

function counted(
  tokens: readonly Token[],
  at: number,
  language: LanguageCode,
  options: { marked: boolean; bare: boolean; parts: readonly PartSaid[] },
): Clock | null {
  const hour = hourAt(tokens, at, language);
  if (hour === null) return null;
  const unit = phraseAt(tokens, hour.to, LANGUAGE_WORDS[language].clock.hours);
  const behind = behindHour(tokens, hour.to + unit, language);
  const half =
    language !== 'en' &&
    behind !== null &&
    (unit > 0 || options.marked || /^(y|menos|e|meno)$/.test(wordAt(tokens, hour.to)));
  // "Sept heures trente" has minutes, but "नौ बजे पच्चीस लोग" does not.
  const follows = unit === 0 || (language !== 'hi' && language !== 'en');
  const plain = half || !follows ? null : minuteAt(tokens, hour.to + unit, language);
  const minutes = half
    ? behind
    : plain !== null && (plain.value > 9 || plain.to - hour.to - unit > 1)
      ? plain
      : null;
  const end = minutes?.to ?? hour.to + unit;
  const late = minutes === null || unit > 0 ? 0 : phraseAt(tokens, end, LANGUAGE_WORDS[language].clock.hours);
  const clock: Clock = { ...shifted(hour.value, minutes?.value ?? 0), to: end + late };
  const ends = startsClause(tokens[clock.to]) || AFTER_HOUR.has(wordAt(tokens, clock.to));
  const part = options.parts.some(
    ({ at: from }) => from >= clock.to && from - clock.to <= 2 && onlyLinks(tokens, clock.to, from),
  );
  const said = unit + late > 0 || half || /^[ap]m$/.test(wordAt(tokens, clock.to)) || part;
  return said || options.bare || (options.marked && ends) ? clock : null;
}

const onlyLinks = (tokens: readonly Token[], from: number, to: number): boolean =>
  tokens.slice(from, to).every(({ text }) => LINKS.has(text));

export function timeAt(
  tokens: readonly Token[],
  at: number,
  language: LanguageCode,
  options: { bare: boolean; parts: readonly PartSaid[] },
): SpokenTime | null {
  const marker = phraseAt(tokens, at, LANGUAGE_WORDS[language].clock.markers);
  const start = at + marker;
  const fixed = fixedAt(tokens, start, language);
  const clock =
    fixed ??
    writtenClock(tokens, start, language) ??
    (language === 'en' ? englishRelative(tokens, start) : null) ??
    (language === 'de' || language === 'nl' ? germanicRelative(tokens, start, language) : null) ??
    (language === 'hi' ? hindiClock(tokens, start) : null) ??
    counted(tokens, start, language, { ...options, marked: marker > 0 });
  if (clock === null || clock.to === start) return null;
  return inPartOfDay({ ...withMeridiem(tokens, clock), from: at }, options.parts);
}

function fixedAt(tokens: readonly Token[], at: number, language: LanguageCode): Clock | null {
  for (const [phrase, hour] of Object.entries(LANGUAGE_WORDS[language].clock.fixed)) {
    const length = phraseAt(tokens, at, [phrase]);
    if (length === 0 || (language === 'fr' && wordAt(tokens, at - 1) === 'apres')) continue;
    const behind = language === 'fr' ? behindHour(tokens, at + length, language) : null;
    return behind === null
      ? { hour, minute: 0, to: at + length, sure: true }
      : { ...shifted(hour, behind.value), to: behind.to, sure: true };
  }
  return null;
}

export const clockText = (hour: number, minute: number): string =>
  `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;

export const inHalf = (clock: { hour: number; minute: number }, part: PartOfDay): string =>
  clockText(hourIn(part, clock.hour), clock.minute);

export function halfIn(tokens: readonly Token[], language: LanguageCode): PartOfDay | null {
  const meridiem = tokens.find(({ text }) => text === 'pm' || text === 'am')?.text;
  if (meridiem !== undefined && language === 'en') return meridiem === 'pm' ? 'evening' : 'morning';
  const parts = [...new Set(partsIn(tokens, language).map(({ part }) => part))];
  return parts.length === 1 ? (parts[0] ?? null) : null;
}
