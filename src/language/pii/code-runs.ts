import { fold, LANGUAGE_WORDS } from '../text/index.ts';
import { digitRuns } from './digits.ts';

export interface CodeRun {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly parts: readonly CodePart[];
  /** Capitals stand before it: an abbreviation, or its first letters. */
  readonly prefix?: CodePart;
}

export interface CodePart {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const MIXED = /(?<![\p{L}\p{M}\p{Nd}])(?=[A-Za-z]*\p{Nd})[A-Za-z\p{Nd}]{2,34}(?![\p{L}\p{M}\p{Nd}])/gu;
const LETTER = /(?<![\p{L}\p{M}\p{Nd}'’])[A-Za-z](?![\p{L}\p{M}\p{Nd}'’])/gu;
const CAPITALS = /(?<![\p{L}\p{M}\p{Nd}])[A-Z]{2,5}(?![\p{L}\p{M}\p{Nd}])/gu;
const WORD = /[\p{L}\p{M}]+/gu;
const GAP = /^[\s.,\-–/]{0,3}$/u;
const ABBREVIATION = /^[A-Z]{3,}$/;

const LETTER_NAMES: ReadonlyMap<string, string> = new Map(
  Object.values(LANGUAGE_WORDS).flatMap(({ spelling: { letters, alphabet } }) => [
    ...alphabet.map((word) => [fold(word), fold(word).slice(0, 1)] as const),
    ...Object.entries(letters),
  ]),
);
const LONGEST_LETTER_NAME = 3;

function namedLetters(text: string): readonly CodePart[] {
  const words = [...text.matchAll(WORD)].map(({ 0: word, index }) => ({
    word: fold(word),
    start: index,
    end: index + word.length,
  }));
  const letters: CodePart[] = [];
  for (let at = 0; at < words.length; ) {
    let length = Math.min(LONGEST_LETTER_NAME, words.length - at);
    const nameOf = () =>
      LETTER_NAMES.get(
        words
          .slice(at, at + length)
          .map(({ word }) => word)
          .join(' '),
      );
    while (length > 0 && nameOf() === undefined) length -= 1;
    const letter = nameOf();
    if (length > 0 && letter !== undefined)
      letters.push({ text: letter, start: words[at]!.start, end: words[at + length - 1]!.end });
    at += Math.max(1, length);
  }
  return letters;
}

/** Returns letters and digits that follow each other; with `names`, letters may be said by their names ("efe", "Anton"). */
export function codeRuns(text: string, { names = false } = {}): readonly CodeRun[] {
  const parts: CodePart[] = [];
  const taken: boolean[] = [];
  const add = (part: string, start: number, end: number) => {
    for (let at = start; at < end; at += 1) if (taken[at]) return;
    for (let at = start; at < end; at += 1) taken[at] = true;
    parts.push({ text: part.toUpperCase(), start, end });
  };
  const named = names ? namedLetters(text) : [];
  // "Y griega" is one letter and not two.
  for (const { text: letter, start, end } of named)
    if (/\s/u.test(text.slice(start, end))) add(letter, start, end);
  for (const { 0: found, index } of text.matchAll(MIXED)) add(found, index, index + found.length);
  for (const run of digitRuns(text)) for (const { digits, start, end } of run) add(digits, start, end);
  for (const { 0: found, index } of text.matchAll(CAPITALS)) add(found, index, index + found.length);
  for (const { 0: found, index } of text.matchAll(LETTER)) add(found, index, index + found.length);
  for (const { text: letter, start, end } of named) add(letter, start, end);
  return joined(
    text,
    parts.sort((a, b) => a.start - b.start),
  );
}

function joined(text: string, parts: readonly CodePart[]): readonly CodeRun[] {
  const runs: { text: string; start: number; end: number; parts: CodePart[]; prefix?: CodePart }[] = [];
  let abbreviation: CodePart | undefined;
  for (const part of parts) {
    const follows = (last: CodePart | undefined): boolean =>
      last !== undefined && GAP.test(text.slice(last.end, part.start));
    const last = runs.at(-1);
    if (last !== undefined && follows(last)) {
      last.text += part.text;
      last.parts.push(part);
      last.end = part.end;
    } else if (!ABBREVIATION.test(part.text)) {
      runs.push({
        ...part,
        parts: [part],
        ...(follows(abbreviation) && { prefix: abbreviation as CodePart }),
      });
    }
    abbreviation = ABBREVIATION.test(part.text) ? part : undefined;
  }
  return runs;
}

/** No code has more parts. */
const MOST_PARTS = 40;

/** Returns the part of a run that begins at a place or behind it: "RG 24…" is a number that is called RG. */
export function runFrom(run: CodeRun, from: number): CodeRun | undefined {
  if (run.start >= from) return run;
  let [low, high] = [0, run.parts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((run.parts[middle] as CodePart).start < from) low = middle + 1;
    else high = middle;
  }
  const first = run.parts[low];
  if (first === undefined || run.parts.length - low > MOST_PARTS) return undefined;
  const parts = run.parts.slice(low);
  return { text: parts.map(({ text }) => text).join(''), start: first.start, end: run.end, parts };
}
