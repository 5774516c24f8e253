/** A video with another sound: its pictures are copied as they are, by an ffmpeg under the same limits as decoding. */
import type { FileHandle } from 'node:fs/promises';
import { type PipedProgram, runPiped } from './piped-program.ts';

export interface MuxOptions {
  /** Input and output have the same container. */
  readonly container: 'm4a' | 'webm';
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  /** ISO 639-1: what is spoken now. */
  readonly language: string;
  readonly signal?: AbortSignal;
}

const DEMUXERS = { m4a: 'mov', webm: 'matroska' } as const;
/** Written to a pipe, where nothing can be gone back to. */
const MUXERS = {
  m4a: [
    '-c:a',
    'aac',
    '-b:a',
    '160k',
    '-movflags',
    'frag_keyframe+empty_moov+default_base_moof',
    '-f',
    'mp4',
  ],
  webm: ['-c:a', 'libopus', '-b:a', '128k', '-f', 'matroska'],
} as const;
const LIMITS = { cpuSeconds: 3600, memoryKilobytes: 256 * 1024 };
/** The descriptor behind the three that every program has. */
const VIDEO = '3';

/** Little-endian PCM16 in, the video with this sound out as it comes. */
export async function* mux(
  ffmpeg: string,
  video: FileHandle,
  pcm: AsyncIterable<Uint8Array>,
  options: MuxOptions,
): AsyncGenerator<Buffer, void> {
  const program: PipedProgram = {
    program: ffmpeg,
    args: argumentsFor(options),
    limits: { ...LIMITS, descriptors: [video.fd] },
    name: 'muxer',
  };
  yield* runPiped(program, pcm, options.signal);
}

function argumentsFor({ container, sampleRate, channels, language }: MuxOptions): string[] {
  const demuxer = DEMUXERS[container];
  return [
    ...['-hide_banner', '-nostdin', '-nostats', '-loglevel', 'error', '-protocol_whitelist', 'fd,pipe'],
    ...['-format_whitelist', demuxer, '-f', demuxer, '-fd', VIDEO, '-i', 'fd:'],
    ...['-f', 's16le', '-ar', String(sampleRate), '-ac', String(channels), '-i', 'pipe:0'],
    ...['-map', '0:v', '-map', '1:a', '-c:v', 'copy', '-map_metadata', '-1', '-threads', '1'],
    ...['-metadata:s:a:0', `language=${language}`, ...MUXERS[container], 'pipe:1'],
  ];
}
