/** People said these codes and numbers into a microphone (AN4); no setting was chosen by their voices or values. */
import { existsSync } from 'node:fs';
import { needRecordings, readClip, spokenClips } from '../hear/clips.ts';
import type { Trial } from './values.ts';

const DIGITS = 'zero one two three four five six seven eight nine'.split(' ');
const SHORTEST = 3;

interface Recorded {
  readonly trial: Trial;
  readonly text: string;
  readonly samples: Int16Array;
}

const characterOf = (word: string): string | null => {
  if (word === 'oh') return '0';
  const digit = DIGITS.indexOf(word);
  return digit >= 0 ? String(digit) : /^[a-z]$/.test(word) ? word.toUpperCase() : null;
};

export function recorded(most: number): Recorded[] {
  needRecordings();
  const found: Recorded[] = [];
  const counts = { digits: 0, code: 0 };
  for (const { path, text, group } of spokenClips()) {
    if (group !== 'an4' || !existsSync(path)) continue;
    const words = text.toLowerCase().split(' ');
    const value = words.map(characterOf).join('');
    const kind = /^\d+$/.test(value) ? 'digits' : /^[A-Z]+\d+$/.test(value) ? 'code' : null;
    if (kind === null || words.length < SHORTEST || value.length !== words.length || counts[kind]++ >= most)
      continue;
    const length = { min: value.length, max: value.length };
    const trial: Trial = { request: { kind, hints: { language: 'en', length } }, value, words };
    const bytes = Uint8Array.from(readClip(path, 8000));
    found.push({ trial, text, samples: new Int16Array(bytes.buffer, 0, bytes.byteLength >> 1) });
  }
  return found;
}
