/** Recordings as a phone line would carry them: 8 kHz, through u-law and back. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const RATE = 8000;
export const FRAME = RATE / 50;

export interface Clip {
  readonly path: string;
  readonly text: string;
  readonly kind: string;
  readonly samples: Int16Array;
  /** The true start and end of the speech, in samples, from its level. */
  readonly start: number;
  readonly end: number;
}

interface Entry {
  readonly path: string;
  readonly text?: string;
  readonly lang: string;
  readonly kind: string;
  readonly seconds: number;
  readonly text_quality?: string;
}

const FOLDER = new URL('../../../../shared/speech/', import.meta.url).pathname;

export function recordings(ffmpeg: string, choose: (entry: Entry) => boolean): Clip[] {
  const manifest = join(FOLDER, 'manifest.jsonl');
  if (!existsSync(manifest)) throw new Error('the recordings are absent: ../shared/speech');
  return readFileSync(manifest, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry)
    .filter(choose)
    .map((entry) => clipOf(entry, decode(ffmpeg, join(FOLDER, entry.path))));
}

function decode(ffmpeg: string, path: string): Int16Array {
  const { stdout, status } = spawnSync(
    ffmpeg,
    ['-v', 'error', '-i', path, '-ac', '1', '-ar', String(RATE), '-f', 's16le', '-'],
    { maxBuffer: 1 << 28 },
  );
  if (status !== 0) throw new Error(`${path} does not decode`);
  return new Int16Array(stdout.buffer, stdout.byteOffset, stdout.length >> 1);
}

export function clipOf(entry: Pick<Entry, 'path' | 'text' | 'kind'>, decoded: Int16Array): Clip {
  const { start, end } = speechSpan(decoded);
  const samples = Int16Array.from(decoded, (sample) => fromUlaw(toUlaw(sample)));
  return { path: entry.path, text: entry.text ?? '', kind: entry.kind, samples, start, end };
}

/** 35 dB under the 95th percentile of 20 ms levels, with two guard frames. */
function speechSpan(samples: Int16Array): { start: number; end: number } {
  const levels: number[] = [];
  for (let at = 0; at + FRAME <= samples.length; at += FRAME)
    levels.push(levelOf(samples.subarray(at, at + FRAME)));
  const sorted = [...levels].sort((a, b) => a - b);
  const threshold = (sorted[Math.floor(0.95 * sorted.length)] ?? -90) - 35;
  const first = levels.findIndex((level) => level >= threshold);
  const last = levels.findLastIndex((level) => level >= threshold);
  return { start: Math.max(0, first - 2) * FRAME, end: Math.min(levels.length, last + 3) * FRAME };
}

/** dBFS of the mean square. */
export function levelOf(samples: Int16Array): number {
  let power = 0;
  for (const sample of samples) power += (sample / 32768) ** 2;
  return samples.length === 0 || power === 0 ? -127 : 10 * Math.log10(power / samples.length);
}

const BIAS = 0x84;

function toUlaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(32635, Math.abs(sample)) + BIAS;
  const exponent = 31 - Math.clz32(magnitude) - 7;
  return ~(sign | (exponent << 4) | ((magnitude >> (exponent + 3)) & 0x0f)) & 0xff;
}

function fromUlaw(code: number): number {
  const value = ~code & 0xff;
  const exponent = (value >> 4) & 7;
  const magnitude = (((value & 0x0f) << 3) + BIAS) << exponent;
  return value & 0x80 ? BIAS - magnitude : magnitude - BIAS;
}

export const silence = (seconds: number): Int16Array => new Int16Array(Math.round(seconds * RATE));
