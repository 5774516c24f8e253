import type { BoundingBox } from '../../../language/documents/index.ts';

export interface Word {
  readonly text: string;
  readonly place: BoundingBox;
  readonly confidence: number;
  readonly index: number;
}

export interface ReadPage {
  /** The page number counts from 1. */
  readonly number: number;
  /** The page's height divided by its width, as coordinates are shares of each. */
  readonly ratio: number;
  readonly source: 'text' | 'ocr';
  readonly words: readonly Word[];
}

export type Segment = readonly Word[];
export type Line = readonly Segment[];

/** The unit is the height of a letter. */
const SAME_LINE = 0.55;
const COLUMN_GAP = 1.8;

export const heightOf = ({ place }: Word): number => place[3] - place[1];
const middleOf = ({ place }: Word): number => (place[1] + place[3]) / 2;

export function linesOf({ words, ratio }: ReadPage): Line[] {
  const lines: Word[][] = [];
  let middles = 0;
  for (const word of [...words].sort((a, b) => middleOf(a) - middleOf(b))) {
    const line = lines.at(-1);
    const middle = middleOf(word);
    if (line !== undefined && middle - middles / line.length < SAME_LINE * heightOf(word)) {
      line.push(word);
      middles += middle;
    } else {
      lines.push([word]);
      middles = middle;
    }
  }
  return lines.map((line) => segmentsOf(line, ratio));
}

function segmentsOf(line: Word[], ratio: number): Line {
  const segments: Word[][] = [];
  let before: Word | null = null;
  for (const word of line.sort((a, b) => a.place[0] - b.place[0])) {
    // Vertical coordinates are shares of the height, horizontal ones of the width.
    const height = Math.max(heightOf(word), before === null ? 0 : heightOf(before)) * ratio;
    const gap = before === null ? Number.POSITIVE_INFINITY : word.place[0] - before.place[2];
    if (gap > COLUMN_GAP * height) segments.push([word]);
    else segments.at(-1)!.push(word);
    before = word;
  }
  return segments;
}

export const textOf = (words: readonly Word[]): string => words.map(({ text }) => text).join(' ');

export function placeOf(words: readonly Word[]): BoundingBox {
  const edge = (at: 0 | 1 | 2 | 3, pick: (...values: number[]) => number) =>
    pick(...words.map(({ place }) => place[at]));
  return [edge(0, Math.min), edge(1, Math.min), edge(2, Math.max), edge(3, Math.max)];
}
