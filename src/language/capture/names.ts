import { LANGUAGE_WORDS, phraseAt, plainText, tokensOf } from '../text/index.ts';
import { characterReading, missingReading } from './capture-reading.ts';
import { type Character, characterRuns, charactersText } from './characters.ts';
import { longest } from './codes.ts';
import type { CaptureReading, ValueReader } from './contract.ts';
import { readLetters } from './read-back.ts';

/** The confidence is low for an unspelled name: recognition guesses its spelling. */
const SAID = 0.6;
const FEWEST_SPELLED = 2;
const MOST_WORDS = 5;

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();

export function readingOfName(heard: readonly Character[]): CaptureReading {
  const value = charactersText(heard).split(' ').map(capital).join(' ');
  const spelled = value.split(' ').map(readLetters).join(', ');
  return characterReading(heard, value, value === '' ? { what: 'everything' } : null, `${value}, ${spelled}`);
}

export const readName: ValueReader = (said, _keys, { language }) => {
  const run = longest(characterRuns(said, language, 'letters'));
  if (run !== null && run.characters.length >= FEWEST_SPELLED) return readingOfName(run.characters);
  const text = plainText(said.text);
  const tokens = tokensOf(text);
  const { names } = LANGUAGE_WORDS[language].spelling;
  let from = 0;
  for (let at = 0; at < tokens.length; at++) {
    const length = phraseAt(tokens, at, names);
    if (length > 0) from = at + length;
  }
  const words = tokens.slice(from).filter(({ text: word }) => /^[\p{L}\p{M}]+$/u.test(word));
  if (words.length === 0 || words.length > MOST_WORDS) return missingReading();
  const name = words.map(({ start, end }) => text.slice(start, end)).join(' ');
  return readingOfName([...name].map((char) => ({ char, confidence: SAID })));
};
