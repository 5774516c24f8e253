import type { SeededRandom } from '../../src/apps/caller/index.ts';
import { speechSpan } from '../../src/apps/caller/index.ts';
import type { Answer } from '../../src/speech/amd/index.ts';
import type { Half, Recordings } from './recordings.ts';
import { chanceOf } from './seeded-chance.ts';
import {
  atLineLevel,
  joined,
  type Line,
  lineOf,
  msOf,
  noiseFrom,
  overLine,
  samplesOf,
  silence,
} from './sound.ts';
import { beep, ringback } from './tones.ts';

export interface Trial {
  readonly name: string;
  readonly truth: Answer;
  /** A recording of a real person or machine answers; the line is computed either way. */
  readonly real: boolean;
  readonly lang: string;
  readonly build: () => Call;
}

export interface Call {
  readonly pcm: Int16Array;
  readonly greeting: { readonly fromMs: number; readonly toMs: number } | null;
  readonly beepEndMs: number | null;
}

export interface Answering {
  readonly voice: Int16Array;
  readonly speech: boolean;
  readonly beep: boolean;
  readonly afterMs: number;
  readonly before?: Int16Array;
}

export function callOf(name: string, answering: Answering, half: Half, recordings: Recordings): Call {
  const chance = chanceOf(name);
  const line = lineOf(chance, recordings.noises(half));
  const early = earlyMedia(chance);
  const before = joined(early, answering.before ?? silence(0));
  const voice = atLineLevel(answering.voice, line.dbfs);
  const rest = answering.beep ? afterGreeting(chance, line) : { samples: silence(0), beepEndMs: 0 };
  const call = joined(before, voice, rest.samples, silence(answering.afterMs));
  const startMs = msOf(before.length);
  const span = answering.speech ? speechSpan(answering.voice, 25) : { startMs: 0, endMs: msOf(voice.length) };
  const greeting = { fromMs: startMs + span.startMs, toMs: startMs + span.endMs };
  return {
    pcm: lined(call, line, chance, recordings),
    greeting: answering.speech ? greeting : null,
    beepEndMs: answering.beep ? startMs + msOf(voice.length) + rest.beepEndMs : null,
  };
}

function lined(call: Int16Array, line: Line, chance: SeededRandom, recordings: Recordings): Int16Array {
  const noise =
    line.noise === null
      ? null
      : noiseFrom(recordings.decode(line.noise.name), call.length, line.noise.dbfs, chance);
  return overLine(call, line, noise, chance);
}

function earlyMedia(chance: SeededRandom): Int16Array {
  const wait = silence(chance.between(150, 1300));
  return chance.next() < 0.25 ? joined(ringback(1, chance), wait) : wait;
}

function afterGreeting(chance: SeededRandom, line: Line): { samples: Int16Array; beepEndMs: number } {
  const gap = silence(chance.between(150, 1200));
  const { samples, ms } = beep(chance);
  const level = atLineLevel(samples, line.dbfs + chance.between(-8, 4));
  return { samples: joined(gap, level), beepEndMs: msOf(gap.length) + ms };
}

export function trimmed(voice: Int16Array): Int16Array {
  const { startMs, endMs } = speechSpan(voice, 25);
  return voice.subarray(
    Math.max(0, samplesOf(startMs - 100)),
    Math.min(voice.length, samplesOf(endMs + 100)),
  );
}
