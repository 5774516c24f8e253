import { plainText, tokensOf } from '../text/index.ts';
import { completeReading, KEY_CONFIDENCE, missingReading } from './capture-reading.ts';
import type { CaptureHints, ValueReader } from './contract.ts';
import { dayIn } from './dates.ts';
import { datesIn, timesIn } from './mentions.ts';
import { readDay, readTime } from './read-back.ts';
import { clockText, halfIn, inHalf } from './times.ts';

const SURE = { exact: 0.9, likely: 0.6 };

const todayOf = ({ today }: CaptureHints): number => today ?? dayIn('UTC', Date.now());

function dayOfKeys(keys: string): string | null {
  const [, day, month, year] = /^(\d{2})(\d{2})(\d{4})$/.exec(keys) ?? [];
  const iso = `${year}-${month}-${day}`;
  const time = Date.parse(`${iso}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(iso) ? iso : null;
}

export const readDate: ValueReader = (said, keys, hints) => {
  const typed = dayOfKeys(keys);
  if (typed !== null) return completeReading(typed, KEY_CONFIDENCE, readDay(typed, hints.language));
  if (keys !== '') return missingReading({ what: 'day' });
  const days = datesIn(tokensOf(plainText(said.text)), hints.language, todayOf(hints));
  const day = days[0];
  if (day === undefined) return missingReading();
  if (days.length > 1 || day.value === null) return missingReading({ what: 'day' });
  return completeReading(
    day.value,
    day.unsure ? SURE.likely : SURE.exact,
    readDay(day.value, hints.language),
  );
};

export const readTimeSaid: ValueReader = (said, keys, hints) => {
  const [, hour, minute] = /^([01]\d|2[0-3])([0-5]\d)$/.exec(keys) ?? [];
  if (hour !== undefined)
    return completeReading(
      `${hour}:${minute}`,
      KEY_CONFIDENCE,
      readTime(`${hour}:${minute}`, hints.language),
    );
  const times = timesIn(tokensOf(plainText(said.text)), hints.language, true);
  const time = times[0];
  if (time === undefined || times.length > 1) return missingReading();
  if (!time.sure) return missingReading({ what: 'half_of_day', hour: time.hour, minute: time.minute });
  const clock = clockText(time.hour, time.minute);
  return completeReading(clock, SURE.exact, readTime(clock, hints.language));
};

export function closeHalf(text: string, hour: number, minute: number, { language }: CaptureHints) {
  const half = halfIn(tokensOf(plainText(text)), language);
  if (half === null) return null;
  const clock = inHalf({ hour, minute }, half);
  return completeReading(clock, SURE.exact, readTime(clock, language));
}
