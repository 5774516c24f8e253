import { compilePattern, type Pattern } from '../../../foundation/platform/patterns.ts';
import { type CompiledPhrase, compilePhrase } from './phrase.ts';

/**
 * A live call runs the same patterns at every clause, and compiling one costs more than running it over a sentence.
 */
const MAX_CACHED = 200;

const cache = new Map<string, Pattern>();

export function patternOf(source: string): Pattern {
  const pattern = cache.get(source) ?? compilePattern(source);
  cache.delete(source);
  cache.set(source, pattern);
  if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value as string);
  return pattern;
}

const phrases = new WeakMap<readonly string[], readonly CompiledPhrase[]>();

export function phrasesOf(texts: readonly string[]): readonly CompiledPhrase[] {
  const known = phrases.get(texts);
  if (known !== undefined) return known;
  const made = texts.map(compilePhrase).filter(({ words }) => words.length > 0);
  phrases.set(texts, made);
  return made;
}
