/** Decodes a stored upload to PCM16, 16 kHz, one channel. */
import type { Principal } from '../../../foundation/access/contract.ts';
import { type AudioDecoder, decodingPriorityOf } from '../../../media/codec/index.ts';

const RATE = 16_000;
/** The limit fits 120 s of speech with all its pauses. */
const MAX_RECORDING_SECONDS = 300;

export interface ReferenceRecording {
  readonly pcm: Buffer;
  readonly milliseconds: number;
}

export async function readAudio(
  decoder: AudioDecoder,
  path: string,
  caller: Principal,
  signal: AbortSignal,
): Promise<ReferenceRecording> {
  const { pcm } = await decoder.decode(
    { path },
    {
      sampleRate: RATE,
      channels: 'mix',
      sample: 's16',
      maxSeconds: MAX_RECORDING_SECONDS,
      signal,
      priority: decodingPriorityOf(caller, 'clones'),
    },
  );
  const parts: Buffer[] = [];
  for await (const part of pcm) parts.push(Buffer.from(part));
  const whole = Buffer.concat(parts);
  return { pcm: whole, milliseconds: Math.ceil((whole.length * 1000) / (RATE * 2)) };
}
