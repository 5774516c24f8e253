import { type Character, doubtful, leastSure } from './characters.ts';
import type { Missing, Reading } from './contract.ts';

/** Of keys: a press is what it is. */
export const PRESSED = 0.99;

export const pressed = (keys: string): Character[] =>
  [...keys].map((char) => ({ char, confidence: PRESSED }));

export const nothing = (missing: Missing = { what: 'everything' }): Reading => ({
  value: null,
  heard: [],
  confidence: 0,
  missing,
  readBack: '',
});

export const whole = (value: string, confidence: number, readBack: string): Reading => ({
  value,
  heard: [],
  confidence,
  missing: null,
  readBack,
});

/** A value of characters. `missing`: what its kind still wants; a character that could be another comes first. */
export function ofCharacters(
  heard: readonly Character[],
  value: string,
  missing: Missing | null,
  readBack: string,
): Reading {
  const unsure = doubtful(heard);
  const wants: Missing | null = unsure.length > 0 ? { what: 'characters', at: unsure } : missing;
  return {
    value: wants === null ? value : null,
    heard,
    confidence: leastSure(heard),
    missing: wants,
    readBack,
  };
}
