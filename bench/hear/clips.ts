import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { findFfmpeg } from '../../src/media/codec/index.ts';

export interface Clip {
  readonly path: string;
  readonly language: string;
  readonly text: string;
  readonly kind: string;
  readonly seconds: number;
  readonly group: string;
}

const folder = process.env.BENCH_SPEECH ?? join(process.cwd(), '../shared/speech');
const ffmpeg = findFfmpeg(null, new Models())?.path;

export function needRecordings(): void {
  if (!existsSync(join(folder, 'manifest.jsonl'))) throw new Error(`the recordings are absent: ${folder}`);
  if (!ffmpeg) throw new Error('ffmpeg is absent: npx trunkline models fetch');
}

// biome-ignore lint/suspicious/noExplicitAny: a line of the manifest.
const lines = (): any[] =>
  readFileSync(join(folder, 'manifest.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

export const spokenClips = (): Clip[] =>
  lines()
    .filter((line) => line.text_quality === 'exact' && !line.synthetic && line.text)
    .map((line) => ({
      path: join(folder, line.path),
      language: line.lang,
      text: line.text,
      kind: line.kind,
      seconds: line.seconds,
      group: line.path.split('/')[0],
    }));

export const noisePaths = (): string[] =>
  lines()
    .filter((line) => line.kind === 'noise')
    .map((line) => join(folder, line.path));

export function thin(clips: readonly Clip[], seconds: number): Clip[] {
  const total = clips.reduce((sum, clip) => sum + clip.seconds, 0);
  const every = Math.max(1, total / seconds);
  return clips.filter((_, index) => Math.floor(index / every) !== Math.floor((index - 1) / every));
}

export function readClip(path: string, rate = 16000): Buffer {
  return convert(['-i', path, '-ac', '1', '-ar', String(rate), '-f', 's16le', '-']);
}

export function overTelephone(path: string): Buffer {
  const coded = convert(['-i', path, '-ac', '1', '-ar', '8000', '-f', 'mulaw', '-']);
  return convert(['-f', 'mulaw', '-ar', '8000', '-i', '-', '-f', 's16le', '-'], coded);
}

function convert(args: string[], input?: Buffer): Buffer {
  const done = spawnSync(ffmpeg!, ['-hide_banner', '-loglevel', 'error', ...args], {
    maxBuffer: 1 << 30,
    ...(input ? { input } : {}),
  });
  if (done.status !== 0) throw new Error(`ffmpeg ${args.join(' ')}: ${done.stderr}`);
  return done.stdout;
}

const FRAME_MS = 10;
const UNDER_DB = 35;
const GUARD_FRAMES = 2;

/**
 * Finds speech by the clean recording's level alone: frames within 35 dB of the 95th percentile, with two guard
 * frames.
 */
export function speechBounds(pcm: Buffer, rate: number): { start: number; end: number } {
  const loud = loudFrames(pcm, rate);
  const first = loud.indexOf(true);
  const last = loud.lastIndexOf(true);
  return {
    start: (Math.max(0, first - GUARD_FRAMES) * FRAME_MS) / 1000,
    end: (Math.min(loud.length, last + 1 + GUARD_FRAMES) * FRAME_MS) / 1000,
  };
}

export function loudFrames(pcm: Buffer, rate: number, frameSamples = (rate * FRAME_MS) / 1000): boolean[] {
  const levels: number[] = [];
  for (let at = 0; at + frameSamples * 2 <= pcm.length; at += frameSamples * 2) {
    let power = 0;
    for (let i = 0; i < frameSamples; i += 1) power += pcm.readInt16LE(at + i * 2) ** 2;
    levels.push(10 * Math.log10(power / frameSamples + 1e-9));
  }
  const sorted = [...levels].sort((a, b) => a - b);
  const threshold = sorted[Math.floor(sorted.length * 0.95)]! - UNDER_DB;
  return levels.map((level) => level >= threshold);
}
