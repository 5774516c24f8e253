import { isLuhnValid } from '../text/index.ts';
import { characterReading, keyCharacters, missingReading } from './capture-reading.ts';
import {
  type Alphabet,
  type Character,
  type CharacterRun,
  characterRuns,
  charactersText,
  lowestConfidence,
} from './characters.ts';
import { isIban } from './checks.ts';
import type { CaptureHints, CaptureReading, MissingPart, ValueReader } from './contract.ts';
import { readCode, readDigits } from './read-back.ts';

/** The later of two equally long runs wins, because it corrects the first. */
export const longest = (runs: readonly CharacterRun[]): CharacterRun | null =>
  runs.reduce<CharacterRun | null>(
    (best, run) => (best !== null && best.characters.length > run.characters.length ? best : run),
    null,
  );

function missingOf(text: string, { length, check }: CaptureHints): MissingPart | null {
  const { min, max } = length ?? { min: 1, max: Number.POSITIVE_INFINITY };
  if (text.length < min || text.length > max) return { what: 'length', have: text.length, min, max };
  const fails = (check === 'luhn' && !isLuhnValid(text)) || (check === 'iban' && !isIban(text));
  return fails ? { what: 'check' } : null;
}

export function readingOfDigits(heard: readonly Character[], hints: CaptureHints): CaptureReading {
  const text = charactersText(heard);
  return characterReading(heard, text, missingOf(text, hints), readDigits(text));
}

export function readingOfCode(heard: readonly Character[], hints: CaptureHints): CaptureReading {
  const text = charactersText(heard).toUpperCase();
  return characterReading(heard, text, missingOf(text, hints), readCode(text, hints.language));
}

const reader =
  (alphabet: Alphabet, keysAllowed: RegExp, read: typeof readingOfDigits): ValueReader =>
  (said, keys, hints) => {
    if (keysAllowed.test(keys)) return read(keyCharacters(keys), hints);
    const run = longest(characterRuns(said, hints.language, alphabet));
    return run === null ? missingReading() : read(resolved(run.characters), hints);
  };

/** "Oh" between digits is a zero, between letters an O; at a boundary it stays doubtful. */
export function resolved(characters: readonly Character[]): Character[] {
  return characters.map((character, at) => {
    if (character.char !== '0' || character.confidence !== 0.5) return character;
    const neighbours = [characters[at - 1], characters[at + 1]].filter((other) => other !== undefined);
    const digits = neighbours.filter(({ char }) => /\d/.test(char)).length;
    if (neighbours.length > 0 && digits === neighbours.length)
      return { char: '0', confidence: lowestConfidence(neighbours) };
    if (neighbours.length > 0 && digits === 0) return { char: 'o', confidence: lowestConfidence(neighbours) };
    return { char: '0', confidence: 0.4 };
  });
}

export const readDigitsSaid: ValueReader = reader('digits', /^\d+$/, readingOfDigits);
export const readCodeSaid: ValueReader = reader('both', /^\d+$/, readingOfCode);
