import { spawnSync } from 'node:child_process';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { findFfmpeg } from '../../src/media/codec/index.ts';
import { WATERMARK_RATE } from '../../src/media/engine/index.ts';

export const RATE = 24_000;
const ffmpeg = findFfmpeg(null, new Models())!.path;

interface Attack {
  readonly name: string;
  readonly speed?: number;
  readonly output: readonly string[];
}

const FULL = ['-f', 'wav'];
const ULAW = ['-ar', '8000', '-c:a', 'pcm_mulaw', '-f', 'wav'];
const ALAW = ['-ar', '8000', '-c:a', 'pcm_alaw', '-f', 'wav'];
const MP3 = ['-c:a', 'libmp3lame', '-b:a', '64k', '-f', 'mp3'];

export const ATTACKS: readonly Attack[] = [
  { name: 'none', output: FULL },
  { name: 'G.711 u-law', output: ULAW },
  { name: 'G.711 A-law', output: ALAW },
  { name: 'MP3, 64 kbit/s', output: MP3 },
  { name: '44.1 kHz and back', output: ['-ar', '44100', ...FULL] },
  { name: '11.025 kHz', output: ['-ar', '11025', ...FULL] },
  { name: '3 % faster', speed: 1.03, output: FULL },
  { name: '3 % slower', speed: 0.97, output: FULL },
  { name: '1.7 % slower, then u-law', speed: 0.983, output: ULAW },
  { name: '2.1 % faster, then MP3', speed: 1.021, output: MP3 },
  { name: '3 % faster, pitch kept', output: ['-af', 'atempo=1.03', ...FULL] },
  { name: '3 % slower, pitch kept', output: ['-af', 'atempo=0.97', ...FULL] },
];

function run(args: readonly string[], input: Buffer): Buffer {
  const { stdout, status, stderr } = spawnSync(ffmpeg, ['-loglevel', 'error', ...args, 'pipe:1'], {
    input,
    maxBuffer: 1e9,
  });
  if (status !== 0) throw new Error(stderr.toString());
  return stdout;
}

export function attacked(pcm: Buffer, { speed = 1, output }: Attack): Buffer {
  const rate = String(Math.round(RATE * speed));
  const sent = run(['-f', 's16le', '-ar', rate, '-ac', '1', '-i', 'pipe:0', ...output], pcm);
  return run(['-i', 'pipe:0', '-ar', String(WATERMARK_RATE), '-ac', '1', '-f', 's16le'], sent);
}

export const recordingOf = (path: string): Buffer =>
  run(['-i', path, '-ar', String(WATERMARK_RATE), '-ac', '1', '-f', 's16le'], Buffer.alloc(0));

export const atRate = (pcm: Buffer, rate: number): Buffer =>
  run(
    ['-f', 's16le', '-ar', String(RATE), '-ac', '1', '-i', 'pipe:0', '-ar', String(rate), '-f', 's16le'],
    pcm,
  );
