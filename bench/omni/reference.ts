/**
 * The reference is what the agent would have played: the same words in the same voice are the same samples, so that
 * the played audio can be compared with it, sample for sample.
 */
import type { PlayedAudio } from '../../src/apps/caller/index.ts';
import { LINE_RATE } from '../../src/apps/caller/index.ts';

const BLOCK = LINE_RATE / 200;
const BLOCK_MS = 5;
const AUDIBLE = 120;
const DUCKED_GAIN = 0.1;
const DUCKED_BLOCKS = 8;
/** A resumed voice ramps up within 5 ms; after that its samples are the reference's own. */
const RAMP = LINE_RATE / 200;
/**
 * This many equal samples are no chance: a ducked voice has equal samples only where they are zeros, even in its
 * pauses.
 */
const SURE = LINE_RATE / 50;
const LEAST_SAMPLES = 8;

export interface Level {
  readonly at: number;
  readonly gain: number;
  readonly meant: boolean;
}

export interface DuckedAudio {
  readonly at: number;
  readonly resumedAt: number | null;
}

export interface Match {
  readonly levels: readonly Level[];
  readonly lowered: readonly DuckedAudio[];
  /** Samples at full level: ducked audio is repeated after a false alarm. */
  readonly fullSamples: number;
}

/**
 * `heard` begins with the reference's first sample and continues in its order, sample for sample. A piece that
 * differs was ducked; the following pieces are ducked too, until the reference continues where it stopped.
 */
export function match(heard: readonly PlayedAudio[], reference: Int16Array): Match {
  const levels: Level[] = [];
  let position = 0;
  let left: number | null = null;
  const lowered: DuckedAudio[] = [];
  for (const [which, { at, samples }] of heard.entries()) {
    if (left !== null && resumes(heard.slice(which), reference, left)) {
      position = left;
      left = null;
      lowered.push({ at: lowered.pop()?.at ?? at, resumedAt: at });
    } else if (left === null && !same(samples, reference, position, 0)) {
      left = position;
      lowered.push({ at, resumedAt: null });
    }
    for (let start = 0; start < samples.length; start += BLOCK) {
      const meant = rms(reference.subarray(position + start, position + start + BLOCK));
      const gain = meant >= AUDIBLE ? rms(samples.subarray(start, start + BLOCK)) / meant : 0;
      levels.push({ at: at + (start / BLOCK) * BLOCK_MS, gain, meant: meant >= AUDIBLE });
    }
    position += samples.length;
  }
  return { levels, lowered, fullSamples: left ?? position };
}

function same(samples: Int16Array, reference: Int16Array, position: number, from: number): boolean {
  for (let i = from; i < samples.length; i++) {
    if (samples[i] !== reference[position + i]) return false;
  }
  return true;
}

function resumes(next: readonly PlayedAudio[], reference: Int16Array, from: number): boolean {
  let seen = 0;
  let differing = 0;
  for (const { samples } of next) {
    if (!same(samples, reference, from + seen, seen === 0 ? RAMP : 0)) return false;
    differing += samples.reduce((count, sample) => count + Number(sample !== 0), 0);
    seen += samples.length;
    if (differing >= LEAST_SAMPLES && seen >= SURE) return true;
  }
  return differing >= LEAST_SAMPLES;
}

/**
 * Returns when the agent was first 20 dB lower for longer than a moment, or silent until it was interrupted; null for
 * never. A pause before counts, because the caller heard nothing from there on.
 */
export function duckedAt({ levels }: Match, from: number, until: number): number | null {
  let since: number | null = null;
  let audible = 0;
  for (const { at, gain, meant } of levels) {
    if (at < from || at > until) continue;
    if (gain > DUCKED_GAIN) {
      since = null;
      audible = 0;
      continue;
    }
    since ??= at;
    audible += Number(meant);
    if (audible >= DUCKED_BLOCKS) return since;
  }
  return until === Infinity ? null : since;
}

export interface Ducking {
  readonly atMs: number;
  /** The time from the sample at which the agent was ducked until it was audible again; null when it was not. */
  readonly forMs: number | null;
}

/** Returns each ducking from `began` on; null when the alignment with the reference was lost before. */
export function duckingsSince({ lowered }: Match, began: number, onset: number): Ducking[] | null {
  if (lowered.some(({ at, resumedAt }) => at < began && (resumedAt ?? Infinity) > began)) return null;
  return lowered
    .filter(({ at }) => at >= began)
    .map(({ at, resumedAt }) => ({ atMs: at - onset, forMs: resumedAt === null ? null : resumedAt - at }));
}

/** Returns how long the agent was ducked between two moments, of the time in which it was audible in the reference. */
export const duckedMs = ({ levels }: Match, from: number, until: number): number =>
  BLOCK_MS *
  levels.filter(({ at, gain, meant }) => meant && gain <= DUCKED_GAIN && at >= from && at <= until).length;

export function joined(pieces: readonly PlayedAudio[]): Int16Array {
  const whole = new Int16Array(pieces.reduce((sum, { samples }) => sum + samples.length, 0));
  let at = 0;
  for (const { samples } of pieces) {
    whole.set(samples, at);
    at += samples.length;
  }
  return whole;
}

function rms(samples: Int16Array): number {
  let power = 0;
  for (const sample of samples) power += sample * sample;
  return samples.length === 0 ? 0 : Math.sqrt(power / samples.length);
}
