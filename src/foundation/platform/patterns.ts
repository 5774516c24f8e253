import { RE2JS } from 're2js';

/** A customer's regular expression runs in linear time, so no text makes it run for long. */
export interface Pattern {
  test(text: string): boolean;
  find(text: string, most: number): { readonly start: number; readonly end: number }[];
  /** It is the cost to compile and to run; a repeat counts as often as it repeats. */
  readonly steps: number;
}

const MAX_CHARACTERS = 500;

/**
 * The syntax is JavaScript's without look-around and back-references, which no linear engine supports. Throws
 * RangeError with the cause.
 */
export function compilePattern(source: string): Pattern {
  if (source.length > MAX_CHARACTERS)
    throw new RangeError(`a pattern can have at most ${MAX_CHARACTERS} characters`);
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(source));
    return {
      test: (text) => compiled.matcher(text).find(),
      find: (text, most) => placesOf(compiled, text, most),
      steps: compiled.programSize(),
    };
  } catch (error) {
    throw new RangeError(
      `the pattern ${source} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

export const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

function placesOf(compiled: RE2JS, text: string, most: number): { start: number; end: number }[] {
  const matcher = compiled.matcher(text);
  const places: { start: number; end: number }[] = [];
  while (places.length < most && matcher.find()) places.push({ start: matcher.start(), end: matcher.end() });
  return places;
}

/** The characters of languages that write no spaces between words: Chinese and Japanese. For expressions with the flag `u`. */
export const UNSPACED_CHARACTER = '[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}]';
