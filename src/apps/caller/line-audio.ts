import { SeededRandom } from './seeded-random.ts';

export const LINE_RATE = 8000;
export const FRAME_SAMPLES = LINE_RATE / 50;
export const FRAME_MS = 20;

export interface SpeechClip {
  readonly path: string;
  readonly text: string;
  readonly kind: string;
  readonly samples: Int16Array;
  readonly startMs: number;
  readonly endMs: number;
}

export function clipOf(
  named: { path: string; text?: string; kind: string },
  decoded: Int16Array,
): SpeechClip {
  return {
    path: named.path,
    text: named.text ?? '',
    kind: named.kind,
    samples: overUlaw(decoded),
    ...speechSpan(decoded),
  };
}

const BLOCK = LINE_RATE / 100;
const BLOCK_MS = 10;
/** The margin is that of ITU-T P.56: lower levels are breath, reverberation or hiss. */
const MARGIN_DB = 15.9;
const RUN = 3;

function activeLevel(levels: readonly number[]): number {
  const mean = (of: readonly number[]): number =>
    10 * Math.log10(of.reduce((sum, level) => sum + 10 ** (level / 10), 0) / of.length);
  let level = mean(levels);
  for (let round = 0; round < 20; round++) level = mean(levels.filter((one) => one >= level - MARGIN_DB));
  return level;
}

/**
 * Returns the span from the first to the last run of 30 ms whose level is within the margin of active speech, in
 * steps of 10 ms.
 */
export function speechSpan(samples: Int16Array, marginDb = MARGIN_DB): { startMs: number; endMs: number } {
  const levels: number[] = [];
  for (let at = 0; at + BLOCK <= samples.length; at += BLOCK)
    levels.push(levelOf(samples.subarray(at, at + BLOCK)));
  const threshold = activeLevel(levels) - marginDb;
  const runs = levels.map((_, at) => levels.slice(at, at + RUN).every((level) => level >= threshold));
  const first = Math.max(0, runs.indexOf(true));
  const last = runs.lastIndexOf(true, levels.length - RUN);
  return { startMs: first * BLOCK_MS, endMs: (last < 0 ? levels.length : last + RUN) * BLOCK_MS };
}

export function levelOf(samples: Int16Array): number {
  let power = 0;
  for (const sample of samples) power += (sample / 32768) ** 2;
  return samples.length === 0 || power === 0 ? -127 : 10 * Math.log10(power / samples.length);
}

export const gained = (samples: Int16Array, db: number): Int16Array =>
  Int16Array.from(samples, (sample) =>
    Math.max(-32768, Math.min(32767, Math.round(sample * 10 ** (db / 20)))),
  );

export const atLevel = (samples: Int16Array, dbfs: number): Int16Array =>
  gained(samples, dbfs - levelOf(samples));

export const VOICE_DBFS = -23;

export function atVoiceLevel(clip: SpeechClip, db = 0): SpeechClip {
  const spoken = clip.samples.subarray((clip.startMs * LINE_RATE) / 1000, (clip.endMs * LINE_RATE) / 1000);
  const samples = overUlaw(gained(clip.samples, VOICE_DBFS + db - levelOf(spoken)));
  return { ...clip, samples };
}

export const overUlaw = (samples: Int16Array): Int16Array =>
  Int16Array.from(samples, (sample) => fromUlaw(toUlaw(sample)));

const BIAS = 0x84;

export function toUlaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(32635, Math.abs(sample)) + BIAS;
  const exponent = 31 - Math.clz32(magnitude) - 7;
  return ~(sign | (exponent << 4) | ((magnitude >> (exponent + 3)) & 0x0f)) & 0xff;
}

export function fromUlaw(code: number): number {
  const value = ~code & 0xff;
  const exponent = (value >> 4) & 7;
  const magnitude = (((value & 0x0f) << 3) + BIAS) << exponent;
  return value & 0x80 ? BIAS - magnitude : magnitude - BIAS;
}

export function noise(seconds: number, seed: number): Int16Array {
  const chance = new SeededRandom(seed);
  return Int16Array.from(
    { length: Math.round(seconds * LINE_RATE) },
    () => (chance.bits() / 0xffffffff - 0.5) * 40_000,
  );
}

export const knockSound = (seed: number): Int16Array =>
  noise(0.6, seed).map((sample, at) => sample * Math.exp(-at / (0.06 * LINE_RATE)));

export const sineTone = (seconds: number, ...hertz: readonly number[]): Int16Array =>
  Int16Array.from({ length: Math.round(seconds * LINE_RATE) }, (_, at) =>
    hertz.reduce((sum, f) => sum + (12_000 / hertz.length) * Math.sin((2 * Math.PI * f * at) / LINE_RATE), 0),
  );
