import { runPiped } from './piped-program.ts';

export interface EncodeOptions {
  readonly format: 'flac' | 'opus' | 'aac';
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  readonly music?: boolean;
  readonly signal?: AbortSignal;
}

const CODECS = {
  flac: ['-c:a', 'flac', '-f', 'flac'],
  aac: ['-c:a', 'aac', '-b:a', '64k', '-f', 'adts'],
  // The encoder flushes 20 ms pages, so that a listener hears the first words before the last are spoken.
  opus: ['-c:a', 'libopus', '-application', 'voip', '-b:a', '32k', '-page_duration', '20000', '-f', 'ogg'],
  music: ['-c:a', 'libopus', '-application', 'audio', '-b:a', '128k', '-f', 'ogg'],
} as const;
const LIMITS = { cpuSeconds: 3600, memoryKilobytes: 80 * 1024 };

export async function* encode(
  ffmpeg: string,
  pcm: AsyncIterable<Uint8Array>,
  options: EncodeOptions,
): AsyncGenerator<Buffer, void> {
  const name = `${options.format} encoder`;
  yield* runPiped(
    { program: ffmpeg, args: argumentsFor(options), limits: LIMITS, name },
    pcm,
    options.signal,
  );
}

function argumentsFor({ format, sampleRate, channels, music }: EncodeOptions): string[] {
  return [
    ...['-hide_banner', '-nostdin', '-nostats', '-loglevel', 'error', '-protocol_whitelist', 'pipe'],
    ...['-f', 's16le', '-ar', String(sampleRate), '-ac', String(channels), '-i', 'pipe:0', '-threads', '1'],
    ...[...CODECS[format === 'opus' && music ? 'music' : format], '-flush_packets', '1', 'pipe:1'],
  ];
}
