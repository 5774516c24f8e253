import { type LanguageCode, type Token, wordAt } from '../text/index.ts';
import { dateAt, type SpokenDate, sameDay } from './dates.ts';
import { isDeclined } from './negation.ts';
import { partsIn, type SpokenTime, timeAt } from './times.ts';

interface Span {
  readonly from: number;
  readonly to: number;
}

const TAKEN = '\u0000';
/** An answer that names more times or days is not understood anyway. */
const MOST_NAMED = 50;

const without = (tokens: readonly Token[], spans: readonly Span[]): Token[] =>
  tokens.map((token, at) =>
    spans.some(({ from, to }) => at >= from && at < to) ? { ...token, text: TAKEN } : token,
  );

function collect<T extends Span>(tokens: readonly Token[], read: (at: number) => T | null): T[] {
  const found: T[] = [];
  for (let at = 0; at < tokens.length && found.length < MOST_NAMED; at++) {
    const here = wordAt(tokens, at) === TAKEN ? null : read(at);
    if (here === null) continue;
    found.push(here);
    at = here.to - 1;
  }
  return found;
}

const wanted = <T extends Span>(tokens: readonly Token[], spans: readonly T[], language: LanguageCode): T[] =>
  spans.filter(({ from }) => !isDeclined(tokens, from, language));

/**
 * Returns the times that the caller named and did not reject. `asked` means that a time was asked for, so that "seven
 * thirty" is one.
 */
export function timesIn(tokens: readonly Token[], language: LanguageCode, asked: boolean): SpokenTime[] {
  const parts = partsIn(tokens, language);
  const plain = collect(tokens, (at) => timeAt(tokens, at, language, { bare: false, parts }));
  const bare = asked && plain.length === 0;
  const found = bare ? collect(tokens, (at) => timeAt(tokens, at, language, { bare, parts })) : plain;
  return wanted(tokens, found, language);
}

/**
 * Returns the days that the caller named and did not reject. "Friday the fifth of December" is one day, if it is a
 * Friday.
 */
export function datesIn(tokens: readonly Token[], language: LanguageCode, today: number): SpokenDate[] {
  const free = without(tokens, timesIn(tokens, language, false));
  const joined: SpokenDate[] = [];
  for (const date of collect(free, (at) => dateAt(free, at, language, today))) {
    const before = joined.at(-1);
    const same = before !== undefined && date.from - before.to <= 2 ? sameDay(before, date) : null;
    if (same === null) joined.push(date);
    else joined[joined.length - 1] = same;
  }
  return wanted(tokens, joined, language);
}
