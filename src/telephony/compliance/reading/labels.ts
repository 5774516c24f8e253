import { alikeness } from '../matching/words.ts';
import type { Line, Segment, Word } from './words.ts';
import { heightOf } from './words.ts';

export interface Labelled {
  /** The index of the label in its rule; the first labels are the most specific. */
  readonly rank: number;
  readonly value: readonly Word[];
}

/** The similarity allows one wrong letter in five. */
const LIKE = 0.8;
const SHORTEST_LIKE = 4;
const MOST_LINES = 4;
const MOST_PLACES = 20;
/** The unit is the height of a letter. */
const NEXT_LINE = 2.2;
const SAME_EDGE = 2;

const bare = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
const endsLabel = (text: string): boolean => /[:;.]$/.test(text);
const isMark = (text: string): boolean => /^[:;.\-–—=|]+$/.test(text);

const isLike = (word: string, wanted: string): boolean =>
  word === wanted ||
  (wanted.length >= SHORTEST_LIKE &&
    Math.abs(word.length - wanted.length) <= (1 - LIKE) * Math.max(word.length, wanted.length) &&
    alikeness(word, wanted) >= LIKE);

/**
 * Returns how many words of the segment the label takes, or 0. A label ends with a mark or stands alone in its
 * column: words of a sentence are no label.
 */
function lengthIn(segment: Segment, label: string): number {
  const wanted = label.split(' ').map(bare);
  const words = segment.slice(0, wanted.length);
  if (words.length < wanted.length) return 0;
  if (!wanted.every((each, at) => isLike(bare(words[at]!.text), each))) return 0;
  const next = segment[wanted.length];
  const closed = endsLabel(words.at(-1)!.text) || next === undefined || isMark(next.text);
  return closed ? wanted.length : 0;
}

const longest = (segment: Segment, labels: readonly string[]): number =>
  Math.max(0, ...labels.map((label) => lengthIn(segment, label)));

/** `all` has the labels of all fields, at which a value ends. */
export function labelled(
  lines: readonly Line[],
  ratio: number,
  labels: readonly string[],
  all: readonly string[],
  several: boolean,
): Labelled[] {
  const found: Labelled[] = [];
  for (const [at, line] of lines.entries()) {
    for (const [column, segment] of line.entries()) {
      const ranked = labels.findIndex((label) => lengthIn(segment, label) > 0);
      if (ranked < 0) continue;
      const length = longest(segment, labels);
      const adjacent = adjacentValue(line, column, length, all);
      const first = adjacent.length > 0 ? adjacent : valueBelow(lines, at, segment, ratio, all);
      if (first.length === 0) continue;
      const value = several ? [...first, ...linesBelow(lines, first, ratio, all)] : first;
      found.push({ rank: ranked, value });
      if (found.length === MOST_PLACES) return found;
    }
  }
  return found;
}

function adjacentValue(line: Line, column: number, length: number, all: readonly string[]): readonly Word[] {
  const rest = withoutMarks(line[column]!.slice(length));
  if (rest.length > 0) return rest;
  const next = line[column + 1];
  return next === undefined || longest(next, all) > 0 ? [] : withoutMarks(next);
}

const withoutMarks = (words: Segment): Segment => {
  const from = words.findIndex(({ text }) => !isMark(text));
  return from < 0 ? [] : words.slice(from);
};

function valueBelow(
  lines: readonly Line[],
  at: number,
  label: Segment,
  ratio: number,
  all: readonly string[],
): readonly Word[] {
  const next = lines[at + 1];
  return next === undefined ? [] : (under(next, label, ratio, all) ?? []);
}

function linesBelow(
  lines: readonly Line[],
  value: readonly Word[],
  ratio: number,
  all: readonly string[],
): Word[] {
  const at = lines.findIndex((line) => line.some((segment) => segment.includes(value.at(-1)!)));
  const more: Word[] = [];
  let above: readonly Word[] = value;
  for (const line of lines.slice(at + 1, at + MOST_LINES)) {
    const next = under(line, above, ratio, all);
    if (next === null) break;
    more.push(...next);
    above = next;
  }
  return more;
}

function under(line: Line, above: readonly Word[], ratio: number, all: readonly string[]): Segment | null {
  const [first] = above;
  if (first === undefined) return null;
  const height = heightOf(first);
  for (const segment of line) {
    const word = segment[0]!;
    const down = word.place[1] - first.place[1];
    const aside = Math.abs(word.place[0] - first.place[0]);
    const near = down > 0 && down < NEXT_LINE * height && aside < SAME_EDGE * height * ratio;
    if (near) return longest(segment, all) > 0 ? null : segment;
  }
  return null;
}
