import { expect, it } from 'vitest';
import { spreadCharacters } from '../../../../src/edge/surfaces/compat/elevenlabs/alignment.ts';
import { RunningAlignment } from '../../../../src/edge/surfaces/compat/elevenlabs/running-alignment.ts';

const words = [
  { word: 'Hello,', start: 0.1, end: 0.5 },
  { word: 'wurld', start: 0.6, end: 0.9 },
  { word: 'again.', start: 1.0, end: 1.6 },
];

it('gives the letters of a word its time, in order, from begin to end', () => {
  const {
    characters,
    character_start_times_seconds: starts,
    character_end_times_seconds: ends,
  } = spreadCharacters('Hello, world again.', words, 2);
  expect(characters.join('')).toBe('Hello, world again.');
  expect(starts[0]).toBe(0.1);
  expect(ends[4]).toBe(0.5);
  expect(starts[13]).toBe(1);
  expect(ends.at(-1)).toBe(2);
  for (let at = 1; at < starts.length; at++) expect(starts[at]).toBeGreaterThanOrEqual(starts[at - 1]!);
});

it('stands a text of which nothing was heard', () => {
  const { character_start_times_seconds: starts } = spreadCharacters('ab', [], 1);
  expect(starts).toEqual([0, 0.5]);
});

it('names no piece of sound by spaces alone, and each character once', () => {
  const alignment = new RunningAlignment('   hi  you ', 1_100);
  const pieces = Array.from({ length: 11 }, () => alignment.next(100).chars.join(''));
  expect(pieces).toEqual(['', '', '', '   h', 'i', '', '', '  y', 'o', 'u', '']);
  expect(alignment.rest()).toEqual({ chars: [' '], charStartTimesMs: [0], charDurationsMs: [0] });
  expect(alignment.rest()).toBeNull();
});
