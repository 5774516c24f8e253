import {
  type CapacityShare,
  DUB_VOICE_RATE,
  dubEdgesJob,
  type Engine,
  type EngineVoice,
  fitVoiceJob,
  readEdges,
  readFittedVoice,
  readSpeakerSegments,
  type SpeechRate,
  speakersJob,
  synthesizeJob,
} from '../../../media/engine/index.ts';
import { mergeManners } from '../../../speech/voices/index.ts';

const SAMPLE_BYTES = 2;

export interface SpokenClause {
  /** PCM16 at DUB_VOICE_RATE, without silence at its ends. */
  readonly pcm: Buffer;
  readonly milliseconds: number;
}

export interface VoiceProfile {
  /** It is null where no voiced sound was found. */
  readonly pitchHz: number | null;
  /** The embedding has unit length; it is null where the audio is too short. */
  readonly vector: Float32Array | null;
}

const millisecondsOf = (bytes: number): number => (bytes / SAMPLE_BYTES / DUB_VOICE_RATE) * 1000;

async function synthesize(
  engine: Engine,
  voice: EngineVoice,
  text: string,
  rate: SpeechRate,
  signal: AbortSignal,
  share?: CapacityShare,
): Promise<Uint8Array> {
  const options = { voice, rate, format: 'pcm16' as const, whole: true };
  return await engine.submit(synthesizeJob, options, Buffer.from(text), signal, share).result();
}

export async function say(
  engine: Engine,
  voice: EngineVoice,
  text: string,
  rate: number,
  signal: AbortSignal,
  share: CapacityShare,
): Promise<SpokenClause> {
  const manner = mergeManners(voice.manner, { speed: rate });
  const spoken = await synthesize(engine, { ...voice, manner }, text, DUB_VOICE_RATE, signal, share);
  const edges = readEdges(await engine.submit(dubEdgesJob, undefined, spoken, signal, share).result());
  const pcm = Buffer.from(spoken.subarray(edges.first * SAMPLE_BYTES, edges.end * SAMPLE_BYTES));
  return { pcm, milliseconds: millisecondsOf(pcm.length) };
}

/** Synthesizes at the rate of recordings. */
export const sayForListening = async (
  engine: Engine,
  voice: EngineVoice,
  text: string,
  signal: AbortSignal,
): Promise<Buffer> => Buffer.from(await synthesize(engine, voice, text, 16_000, signal));

/** Measures one speaker's PCM16 at 16 kHz. The job needs some voice, `any`, which does not affect the result. */
export async function describe(
  engine: Engine,
  pcm: Buffer,
  any: EngineVoice,
  signal: AbortSignal,
): Promise<VoiceProfile> {
  const fitting = engine.submit(fitVoiceJob, { voice: any, measure: true }, pcm, signal);
  const { pitchHz } = readFittedVoice(await fitting.result());
  const pieces = readSpeakerSegments(await engine.submit(speakersJob, undefined, pcm, signal).result());
  const vectors = pieces.flatMap(({ vector: own }) => (own === null ? [] : [own]));
  const vector = vectors.length === 0 ? null : meanOf(vectors);
  return { pitchHz: pitchHz > 0 ? pitchHz : null, vector };
}

function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) {
    for (let at = 0; at < mean.length; at += 1) mean[at] = (mean[at] as number) + (vector[at] as number);
  }
  const length = Math.hypot(...mean) || 1;
  return mean.map((value) => value / length);
}

export const cosine = (a: Float32Array, b: Float32Array): number =>
  a.reduce((so, value, at) => so + value * (b[at] as number), 0);
