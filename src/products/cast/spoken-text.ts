/** Divides the words of a line at `[pause 500ms]`. */
import { withoutEmphasis } from './emphasis.ts';

const MARK = /\[pause (?<number>\d{1,5}(?:\.\d{1,3})?)(?<unit>ms|s)\]/gu;
export const LONGEST_BREAK_MS = 10_000;

export interface Stretch {
  readonly text: string;
  /** The silence that follows. */
  readonly pauseMs: number;
}

export const breakMark = (milliseconds: number): string =>
  ` [pause ${Math.round(Math.max(0, Math.min(LONGEST_BREAK_MS, milliseconds)))}ms] `;

export function stretchesOf(text: string): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let from = 0;
  const add = (piece: string, pauseMs: number) => {
    const plain = piece.trim();
    const last = stretches.at(-1);
    if (plain !== '') stretches.push({ text: plain, pauseMs });
    else if (last !== undefined)
      stretches[stretches.length - 1] = { ...last, pauseMs: last.pauseMs + pauseMs };
    else if (pauseMs > 0) stretches.push({ text: '', pauseMs });
  };
  for (const mark of text.matchAll(MARK)) {
    const { number, unit } = mark.groups as { number: string; unit: string };
    const pause = Number(number) * (unit === 's' ? 1000 : 1);
    add(text.slice(from, mark.index), Math.min(LONGEST_BREAK_MS, Math.round(pause)));
    from = mark.index + mark[0].length;
  }
  add(text.slice(from), 0);
  return stretches;
}

export const wordsOf = (text: string): string =>
  withoutEmphasis(text.replace(MARK, ' ')).replace(/\s+/gu, ' ').trim();

export const pausesOf = (text: string): string => (text.match(MARK) ?? []).join(' ');

export const saysSomething = (text: string): boolean => /[\p{L}\p{N}]/u.test(text.replace(MARK, ' '));
