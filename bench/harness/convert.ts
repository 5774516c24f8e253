import { spawnSync } from 'node:child_process';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { findFfmpeg } from '../../src/media/codec/index.ts';

const ffmpeg = findFfmpeg(null, new Models())?.path ?? 'ffmpeg';

/** Returns PCM16 at the rate; the input is a file, or PCM16 that comes with its arguments. */
export function converted(input: readonly string[], to: number, pcm?: Buffer): Buffer {
  const args = ['-v', 'error', ...input, '-ac', '1', '-ar', String(to), '-f', 's16le', '-'];
  const { status, stdout, stderr } = spawnSync(ffmpeg, args, { input: pcm, maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`ffmpeg: ${stderr}`);
  return stdout;
}
