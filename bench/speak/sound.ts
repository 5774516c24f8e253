import { spectrogram } from '../harness/index.ts';

export const samplesOf = (pcm: Uint8Array): Float32Array =>
  Float32Array.from(
    new Int16Array(pcm.buffer, pcm.byteOffset, Math.floor(pcm.byteLength / 2)),
    (value) => value / 32_768,
  );

/** Returns the milliseconds until a sample is above -40 dBFS, or Infinity. */
export function timeToFirstSound(samples: Float32Array, rate: number): number {
  const at = samples.findIndex((value) => Math.abs(value) > 0.01);
  return at < 0 ? Number.POSITIVE_INFINITY : (at * 1000) / rate;
}

/** Returns the mean power, in dB, of the 10 ms frames with speech. */
export function activeDb(samples: Float32Array, rate: number): number {
  const frame = rate / 100;
  let sum = 0;
  let count = 0;
  for (let at = 0; at + frame <= samples.length; at += frame) {
    let power = 0;
    for (let i = at; i < at + frame; i++) power += samples[i]! ** 2 / frame;
    if (power < 1e-4) continue;
    sum += power;
    count++;
  }
  return count === 0 ? -100 : 10 * Math.log10(sum / count);
}

/** Returns the pitch of each 20 ms by autocorrelation, in hertz; 0 for unvoiced frames. */
export function pitches(samples: Float32Array, rate: number): number[] {
  const size = Math.round(rate / 25);
  const longest = Math.round(rate / 70);
  const found: number[] = [];
  for (let at = 0; at + size + longest < samples.length; at += size / 2)
    found.push(pitchAt(samples, Math.round(at), rate));
  return found;
}

function pitchAt(samples: Float32Array, start: number, rate: number): number {
  const size = Math.round(rate / 25);
  const [shortest, longest] = [Math.round(rate / 400), Math.round(rate / 70)];
  let energy = 0;
  for (let i = 0; i < size; i++) energy += samples[start + i]! ** 2;
  if (energy / size < 1e-4) return 0;
  let best = 0;
  let bestLag = 0;
  for (let lag = shortest; lag <= longest; lag++) {
    let dot = 0;
    let shifted = 0;
    for (let i = 0; i < size; i += 2) {
      dot += samples[start + i]! * samples[start + i + lag]!;
      shifted += samples[start + i + lag]! ** 2;
    }
    const correlation = dot / Math.sqrt((energy / 2) * shifted + 1e-9);
    if (correlation > best * 1.02) [best, bestLag] = [correlation, lag];
  }
  return best > 0.7 ? rate / bestLag : 0;
}

export function pitchOf(samples: Float32Array, rate: number): { hertz: number; semitones: number } {
  const found = pitches(samples, rate).filter((value) => value > 0);
  if (found.length === 0) return { hertz: 0, semitones: 0 };
  found.sort((a, b) => a - b);
  const hertz = found[Math.floor(found.length / 2)]!;
  const logs = found.map((value) => 12 * Math.log2(value / hertz));
  const semitones = Math.sqrt(logs.reduce((sum, value) => sum + value * value, 0) / logs.length);
  return { hertz, semitones };
}

/** Chinese and Japanese are counted by characters. */
export const words = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}']+/gu, ' ')
    .replace(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu, ' $& ')
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '');

export interface WordErrors {
  readonly errors: number;
  readonly words: number;
}

export function wordErrors(expected: string, heard: string): WordErrors {
  const [a, b] = [words(expected), words(heard)];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(same, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return { errors: row[b.length]!, words: a.length };
}

export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the stretches between silences of at least 20 ms that last at least 100 ms: shorter ones are the end of a
 * breath.
 */
export function clausesOf(samples: Float32Array, rate: number): Stretch[] {
  const least = rate / 50;
  const found: Stretch[] = [];
  let from = -1;
  let last = -1;
  samples.forEach((sample, at) => {
    if (sample === 0) return;
    if (from >= 0 && at - last > least) {
      found.push({ from, to: last + 1 });
      from = -1;
    }
    if (from < 0) from = at;
    last = at;
  });
  if (from >= 0) found.push({ from, to: last + 1 });
  return found.filter((stretch) => stretch.to - stretch.from >= rate / 10);
}

/** Returns the power, in dBFS, of fast changes within a millisecond of a seam: a step is a click. */
export function seamClick(samples: Float32Array, at: number): number {
  const scope = 24;
  let power = 0;
  let count = 0;
  for (let i = Math.max(2, at - scope); i < Math.min(samples.length, at + scope); i++) {
    // The second difference rises by 12 dB an octave to 0 dB at half of the highest tone.
    const sharp = (samples[i]! - 2 * samples[i - 1]! + samples[i - 2]!) / 2;
    power += sharp * sharp;
    count++;
  }
  return 10 * Math.log10(power / Math.max(1, count) + 1e-12);
}

/** Returns the levels of third octaves from 100 Hz to 8 kHz, in dB against their mean. */
export function bandLevels(samples: Float32Array, rate: number): number[] {
  const size = 1024;
  const power = spectrogram(samples, size, Math.max(8, Math.floor(samples.length / size) * 2));
  const bins = size / 2;
  const columns = power.length / bins;
  const levels: number[] = [];
  for (let low = 100; low < 8000; low *= 2 ** (1 / 3)) {
    const [from, to] = [Math.floor((low * size) / rate), Math.ceil((low * 2 ** (1 / 3) * size) / rate)];
    let sum = 0;
    for (let column = 0; column < columns; column++)
      for (let bin = from; bin < to; bin++) sum += power[column * bins + bin]!;
    levels.push(10 * Math.log10(sum / (to - from) + 1e-12));
  }
  const mean = levels.reduce((a, b) => a + b, 0) / levels.length;
  return levels.map((level) => level - mean);
}

/** Returns the level of the bands above 2 kHz against those below 800 Hz, in dB. */
export function brightness(samples: Float32Array, rate: number): number {
  const levels = bandLevels(samples, rate);
  const mean = (part: number[]): number => part.reduce((a, b) => a + b, 0) / part.length;
  return mean(levels.slice(13)) - mean(levels.slice(0, 9));
}
