/** Replaces the audio of a video in an ffmpeg under the same limits as decoding; the pictures are copied unchanged. */
import type { FileHandle } from 'node:fs/promises';
import { type PipedProgram, runPiped } from './piped-program.ts';

export interface MuxOptions {
  readonly container: 'm4a' | 'webm';
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  readonly language: string;
  readonly signal?: AbortSignal;
}

const DEMUXERS = { m4a: 'mov', webm: 'matroska' } as const;
/** The formats suit a pipe, which cannot seek back. */
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
const VIDEO = '3';

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
