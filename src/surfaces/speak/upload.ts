/** A recording that somebody sends, decoded as it arrives: PCM16, 16 kHz, one channel. */
import type { Readable } from 'node:stream';
import type { AudioDecoder } from '../../codec/index.ts';

const RATE = 16_000;
/** Speech of 120 s with all the pauses that people make. */
const MOST_SECONDS = 300;

export async function readAudio(
  decoder: AudioDecoder,
  bytes: Readable,
  signal: AbortSignal,
): Promise<Buffer> {
  const { pcm } = await decoder.decode(
    { stream: bytes },
    { sampleRate: RATE, channels: 'mix', sample: 's16', maxSeconds: MOST_SECONDS, signal },
  );
  const parts: Buffer[] = [];
  for await (const part of pcm) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}
