import { channelsOf, type WavAudio } from '../apps/testkit/index.ts';
import type { AudioDecoder } from '../media/codec/index.ts';

const RATE = 16_000;
const MAX_SECONDS = 4 * 3600;

/** Decodes both sides of a recording into memory. */
export async function decodeRecording(
  decoder: AudioDecoder,
  file: Buffer,
  maxSeconds = MAX_SECONDS,
): Promise<WavAudio> {
  const { pcm } = await decoder.decode(
    { bytes: file },
    { sampleRate: RATE, channels: 'keep', sample: 's16', maxSeconds },
  );
  const chunks: Buffer[] = [];
  for await (const chunk of pcm) chunks.push(Buffer.from(chunk));
  return { rate: RATE, channels: channelsOf(Buffer.concat(chunks), 2) };
}
