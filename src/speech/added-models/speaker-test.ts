import { readFileSync } from 'node:fs';
import {
  BUNDLED_BOUNDS,
  type Engine,
  type EngineVoice,
  isModelFailure,
  readSpeakerSegments,
  type SpeakerBounds,
  speakersJob,
  synthesizeJob,
} from '../../media/engine/index.ts';
import { AddedModelError } from './errors.ts';
import type { EncoderMeasured } from './lock.ts';

/** Four women and four men of the bundled voices. */
export const ENCODER_TEST_VOICES = [
  'heart_en_us',
  'bella_en_us',
  'kore_en_us',
  'emma_en_gb',
  'michael_en_us',
  'fenrir_en_us',
  'onyx_en_us',
  'george_en_gb',
] as const;
/** About as long as the pieces that jobs compare. */
const SENTENCES = [
  'The river runs along the old wall of the town.',
  'Please call me back before six tomorrow evening.',
  'She listened to the rain on the roof of the house.',
];
const RATE = 16_000;
const PAGE = 4096;
/** Bytes of a quarter of a second within the first word, which has 22 rows of features. */
const SHORT = { from: RATE, end: RATE * 1.5 };
/**
 * The least share of pairs of one voice that are more alike than pairs of two. The bundled weights reach 0.99 in both
 * bands, and random ones at most 0.61.
 */
const LEAST_RIGHT = 0.9;

interface Utterance {
  readonly voice: number;
  readonly pcm: Uint8Array;
}

/** The mean cosines of pairs of pieces of one voice and of two, and the share of pairs that they order rightly. */
interface Separation {
  readonly same: number;
  readonly different: number;
  readonly right: number;
}

/**
 * Bundled voices speak, and the encoder and the bundled one tell them. The bounds of the bundled one were fitted to many people;
 * the added one gets those that lie as far between its own means.
 */
export async function testEncoder(
  engine: Engine,
  folder: string,
  voices: readonly EngineVoice[],
  signal: AbortSignal,
): Promise<EncoderMeasured> {
  const [first] = await utterances(engine, voices.slice(0, 1), SENTENCES.slice(0, 1), signal);
  const memory = residentBytes();
  await vectorOf(engine, (first as Utterance).pcm, folder, signal);
  const memoryBytes = Math.max(0, residentBytes() - memory);
  await readShort(engine, (first as Utterance).pcm, folder, signal);
  const wide = await utterances(engine, voices, SENTENCES, signal);
  const narrow = wide.map(({ voice, pcm }) => ({ voice, pcm: byTelephone(pcm) }));
  const before = process.cpuUsage();
  const ownWide = await separation(engine, wide, folder, signal);
  const { user, system } = process.cpuUsage(before);
  const seconds = wide.reduce((all, { pcm }) => all + pcm.length / 2 / RATE, 0);
  const ownNarrow = await separation(engine, narrow, folder, signal);
  for (const { right } of [ownWide, ownNarrow])
    if (!(right >= LEAST_RIGHT))
      throw new AddedModelError(
        `it does not tell voices: only ${Math.round(100 * right)} % of the pairs of one voice are more alike than those of two. It may be another kind of model, or expect other features than Kaldi's 80 mel bands at 16 kHz`,
      );
  const bundledWide = await separation(engine, wide, undefined, signal);
  const bundledNarrow = await separation(engine, narrow, undefined, signal);
  const bounds: SpeakerBounds = {
    same: transferred(BUNDLED_BOUNDS.same, bundledWide, ownWide),
    sameNarrow: transferred(BUNDLED_BOUNDS.sameNarrow, bundledNarrow, ownNarrow),
    surelySame: transferred(BUNDLED_BOUNDS.surelySame, bundledWide, ownWide),
  };
  return {
    bounds,
    right: rounded(Math.min(ownWide.right, ownNarrow.right)),
    realTimeFactor: rounded((user + system) / 1e6 / seconds),
    memoryBytes,
  };
}

const transferred = (bound: number, from: Separation, to: Separation): number =>
  rounded(
    to.different + ((bound - from.different) * (to.same - to.different)) / (from.same - from.different),
  );

async function utterances(
  engine: Engine,
  voices: readonly EngineVoice[],
  sentences: readonly string[],
  signal: AbortSignal,
): Promise<Utterance[]> {
  const spoken: Utterance[] = [];
  for (const [voice, synthesized] of voices.entries()) {
    for (const sentence of sentences) {
      const options = { voice: synthesized, rate: RATE, format: 'pcm16', seed: 1 } as const;
      const pcm = await engine.submit(synthesizeJob, options, Buffer.from(sentence), signal).result();
      spoken.push({ voice, pcm });
    }
  }
  return spoken;
}

async function separation(
  engine: Engine,
  spoken: readonly Utterance[],
  folder: string | undefined,
  signal: AbortSignal,
): Promise<Separation> {
  const embedded: { readonly voice: number; readonly vector: Float32Array }[] = [];
  for (const { voice, pcm } of spoken)
    embedded.push({ voice, vector: await vectorOf(engine, pcm, folder, signal) });
  const [same, different]: [number[], number[]] = [[], []];
  for (const [at, one] of embedded.entries())
    for (const other of embedded.slice(0, at))
      (one.voice === other.voice ? same : different).push(cosine(one.vector, other.vector));
  const right = same.reduce((all, one) => all + different.filter((other) => other < one).length, 0);
  return {
    same: meanOf(same),
    different: meanOf(different),
    right: right / (same.length * different.length),
  };
}

/** Jobs compare vectors of the longest pieces of speech that one person speaks. */
async function vectorOf(
  engine: Engine,
  pcm: Uint8Array,
  encoder: string | undefined,
  signal: AbortSignal,
): Promise<Float32Array> {
  const segments = readSpeakerSegments(await engine.submit(speakersJob, { encoder }, pcm, signal).result());
  const [longest] = segments.filter(({ vector }) => vector !== null).sort((a, b) => b.alone - a.alone);
  if (!longest?.vector) throw new AddedModelError('no speech was found in the voices that test the encoder');
  return longest.vector;
}

/** Jobs embed pieces of 0.2 s too, and a network may need more rows than that. */
async function readShort(
  engine: Engine,
  pcm: Uint8Array,
  encoder: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await engine.submit(speakersJob, { encoder }, pcm.subarray(SHORT.from, SHORT.end), signal).result();
  } catch (error) {
    if (!isModelFailure(error)) throw error;
    throw new AddedModelError('it fails with a piece of speech of 0.2 s, and jobs compare such pieces');
  }
}

const cosine = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const rounded = (value: number): number => Math.round(value * 1000) / 1000;
const residentBytes = (): number => Number(readFileSync('/proc/self/statm', 'utf8').split(' ')[1]) * PAGE;

/** A telephone line passes nothing above this. */
const CUTOFF_HZ = 3400;
const TAPS = 63;
/** A sinc in Blackman's window. */
const LOW_PASS = Float64Array.from({ length: TAPS }, (_, at) => {
  const distance = at - (TAPS - 1) / 2;
  const turn = (2 * Math.PI * CUTOFF_HZ) / RATE;
  const sinc = distance === 0 ? turn / Math.PI : Math.sin(turn * distance) / (Math.PI * distance);
  const phase = (2 * Math.PI * at) / (TAPS - 1);
  return sinc * (0.42 - 0.5 * Math.cos(phase) + 0.08 * Math.cos(2 * phase));
});

function byTelephone(pcm: Uint8Array): Uint8Array {
  const samples = new Int16Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.length));
  const passed = samples.map((_, at) => {
    let sum = 0;
    for (let tap = 0; tap < TAPS; tap += 1) sum += (samples[at - tap] ?? 0) * (LOW_PASS[tap] as number);
    return Math.max(-32_768, Math.min(32_767, Math.round(sum)));
  });
  return new Uint8Array(passed.buffer);
}
