/** flac, Opus and AAC, encoded by an ffmpeg under the same limits as decoding. (mp3 and wav need no other program.) */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type LimitedProcess, startLimited } from './limited-process.ts';

export interface EncodeOptions {
  readonly format: 'flac' | 'opus' | 'aac';
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  readonly signal?: AbortSignal;
}

const CODECS = {
  flac: ['-c:a', 'flac', '-f', 'flac'],
  aac: ['-c:a', 'aac', '-b:a', '64k', '-f', 'adts'],
  // 20 ms frames, flushed page by page, so that a listener hears the first words before the last are spoken.
  opus: ['-c:a', 'libopus', '-application', 'voip', '-b:a', '32k', '-page_duration', '20000', '-f', 'ogg'],
} as const;
const LIMITS = { cpuSeconds: 3600, memoryKilobytes: 80 * 1024 };

/** Little-endian PCM16 in, the encoded file out as it comes. Ends with an error when the encoder or the source fails. */
export async function* encode(
  ffmpeg: string,
  pcm: AsyncIterable<Uint8Array>,
  options: EncodeOptions,
): AsyncGenerator<Buffer, void> {
  options.signal?.throwIfAborted();
  const process = startLimited(ffmpeg, argumentsFor(options), LIMITS, 'pipe');
  process.ended.catch(() => {}); // awaited below
  const abort = () => process.kill();
  options.signal?.addEventListener('abort', abort);
  let sourceError: unknown;
  const fed = feed(pcm, process).catch((error: unknown) => {
    sourceError = error;
    process.kill();
  });
  try {
    for await (const chunk of process.stdout) yield chunk as Buffer;
    const { code, signal } = await process.ended;
    await fed;
    options.signal?.throwIfAborted();
    if (sourceError) throw sourceError;
    if (code !== 0)
      throw new Error(
        `the ${options.format} encoder ended with ${signal ?? code}: ${process.said().slice(-500)}`,
      );
  } finally {
    options.signal?.removeEventListener('abort', abort);
    process.discard();
    await fed;
  }
}

async function feed(pcm: AsyncIterable<Uint8Array>, process: LimitedProcess): Promise<void> {
  if (!process.stdin) return;
  try {
    await pipeline(Readable.from(pcm, { objectMode: false }), process.stdin);
  } catch (error) {
    // An encoder that ended by itself closes its side; its exit says why.
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'EPIPE' && code !== 'ERR_STREAM_PREMATURE_CLOSE' && code !== 'ECONNRESET') throw error;
  }
}

function argumentsFor({ format, sampleRate, channels }: EncodeOptions): string[] {
  return [
    ...['-hide_banner', '-nostdin', '-nostats', '-loglevel', 'error', '-protocol_whitelist', 'pipe'],
    ...['-f', 's16le', '-ar', String(sampleRate), '-ac', String(channels), '-i', 'pipe:0', '-threads', '1'],
    ...[...CODECS[format], '-flush_packets', '1', 'pipe:1'],
  ];
}
