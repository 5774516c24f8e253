import { type Character, doubtfulPositions, lowestConfidence } from './characters.ts';
import type { CaptureReading, MissingPart } from './contract.ts';

/** Keypresses are unambiguous. */
export const KEY_CONFIDENCE = 0.99;

export const keyCharacters = (keys: string): Character[] =>
  [...keys].map((char) => ({ char, confidence: KEY_CONFIDENCE }));

export const missingReading = (missing: MissingPart = { what: 'everything' }): CaptureReading => ({
  value: null,
  heard: [],
  confidence: 0,
  missing,
  readBack: '',
});

export const completeReading = (value: string, confidence: number, readBack: string): CaptureReading => ({
  value,
  heard: [],
  confidence,
  missing: null,
  readBack,
});

export function characterReading(
  heard: readonly Character[],
  value: string,
  missing: MissingPart | null,
  readBack: string,
): CaptureReading {
  const unsure = doubtfulPositions(heard);
  const wants: MissingPart | null = unsure.length > 0 ? { what: 'characters', at: unsure } : missing;
  return {
    value: wants === null ? value : null,
    heard,
    confidence: lowestConfidence(heard),
    missing: wants,
    readBack,
  };
}
