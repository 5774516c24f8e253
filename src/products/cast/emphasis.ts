/** Stressed words are marked as `*word*` in a line's text, or named by its direction. */
import { escaped } from '../../foundation/platform/patterns.ts';
import type { LineDirection } from './contract.ts';

/** The character stresses the word that follows; it equals kStress of native/text/unicode/unicode.h. */
const STRESS = '\uE000';
/** Matches emphasis as Markdown and Fountain write it within a line. */
const MARKED = String.raw`(?<![\p{L}\p{N}*_])(?<sign>[*_]{1,3})(?=[^\s*_])(?<inner>[^*_[\]]{1,120})(?<=[^\s*_])\k<sign>(?![\p{L}\p{N}*_])`;
const marked = (): RegExp => new RegExp(MARKED, 'gu');
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’]*/gu;
export const EMPHASIS_MARK = '*word*';

interface Groups {
  readonly inner?: string;
}
const innerOf = (args: readonly unknown[]): string | undefined => (args.at(-1) as Groups).inner;

export const markWords = (text: string): string => text.replace(WORD, '*$&*');

/** Normalizes emphasis to `*word*` and removes other stars and underscores. */
export const emphasisAlone = (text: string): string =>
  text.replace(new RegExp(`${MARKED}|[*_]`, 'gu'), (...args) => {
    const inner = innerOf(args);
    return inner === undefined ? '' : `*${inner}*`;
  });

export const withoutEmphasis = (text: string): string => text.replace(marked(), '$<inner>');
export const hasEmphasis = (text: string): boolean => marked().test(text);

const wordsAs = (words: readonly string[]): string =>
  `(?<![\\p{L}\\p{M}\\p{N}])(?:${[...words]
    .sort((a, b) => b.length - a.length)
    .map(escaped)
    .join('|')})(?![\\p{L}\\p{M}\\p{N}])`;

export const saysWord = (text: string, word: string): boolean =>
  new RegExp(wordsAs([word]), 'iu').test(withoutEmphasis(text));

/** Removes emphasis of words that the line does not contain. */
export function fittingTo(text: string, direction: LineDirection): LineDirection {
  if (direction.emphasis === undefined) return direction;
  const { emphasis, ...rest } = direction;
  const said = emphasis.filter((word) => saysWord(text, word));
  return said.length === 0 ? rest : { ...rest, emphasis: said };
}

export function emphasized(text: string, words: readonly string[] | undefined): string {
  if (words === undefined || words.length === 0) return text;
  const found = new RegExp(`${MARKED}|\\[[^\\]]*\\]|(?<word>${wordsAs(words)})`, 'giu');
  return text.replace(found, (whole: string, ...args) => {
    const { word } = args.at(-1) as { readonly word?: string };
    return word === undefined ? whole : `*${word}*`;
  });
}

export const stressed = (text: string): string =>
  text.replace(marked(), (...args) => (innerOf(args) ?? '').replace(WORD, `${STRESS}$&`));
