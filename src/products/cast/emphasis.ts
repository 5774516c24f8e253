/** Words that are stressed: `*word*` in a line's text, or named by its direction. */
import { escaped } from '../../foundation/platform/patterns.ts';
import type { LineDirection } from './contract.ts';

/** The character stresses the word that follows; it equals kStress of native/text/unicode/unicode.h. */
const STRESS = '\uE000';
/** As Markdown and Fountain write it, inside a line. */
const MARKED = String.raw`(?<![\p{L}\p{N}*_])(?<sign>[*_]{1,3})(?=[^\s*_])(?<inner>[^*_[\]]{1,120})(?<=[^\s*_])\k<sign>(?![\p{L}\p{N}*_])`;
const marked = (): RegExp => new RegExp(MARKED, 'gu');
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’]*/gu;
export const EMPHASIS_MARK = '*word*';

interface Groups {
  readonly inner?: string;
}
const innerOf = (args: readonly unknown[]): string | undefined => (args.at(-1) as Groups).inner;

/** Every word of it marked by itself. */
export const markWords = (text: string): string => text.replace(WORD, '*$&*');

/** Marks of emphasis as `*word*`, and no other star or dash. */
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

/** Whether the line says the word, whatever its case. */
export const saysWord = (text: string, word: string): boolean =>
  new RegExp(wordsAs([word]), 'iu').test(withoutEmphasis(text));

/** The direction, without emphasis of words that the line does not say. */
export function fittingTo(text: string, direction: LineDirection): LineDirection {
  if (direction.emphasis === undefined) return direction;
  const { emphasis, ...rest } = direction;
  const said = emphasis.filter((word) => saysWord(text, word));
  return said.length === 0 ? rest : { ...rest, emphasis: said };
}

/** The text with the marks of the words that the direction names. */
export function emphasized(text: string, words: readonly string[] | undefined): string {
  if (words === undefined || words.length === 0) return text;
  const found = new RegExp(`${MARKED}|\\[[^\\]]*\\]|(?<word>${wordsAs(words)})`, 'giu');
  return text.replace(found, (whole: string, ...args) => {
    const { word } = args.at(-1) as { readonly word?: string };
    return word === undefined ? whole : `*${word}*`;
  });
}

/** Marks the text as stressed for the engine. */
export const stressed = (text: string): string =>
  text.replace(marked(), (...args) => (innerOf(args) ?? '').replace(WORD, `${STRESS}$&`));
