import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Models } from '../../foundation/platform/models/index.ts';

export interface FfmpegProgram {
  readonly path: string;
  readonly from: 'configuration' | 'models' | 'system';
}

export function findFfmpeg(
  configured: string | null,
  models: Models,
  searchPath = process.env.PATH ?? '',
): FfmpegProgram | undefined {
  if (configured !== null)
    return isProgram(configured) ? { path: configured, from: 'configuration' } : undefined;
  const pinned = models.path('ffmpeg/ffmpeg');
  if (models.status('ffmpeg').ready && isProgram(pinned)) return { path: pinned, from: 'models' };
  const folder = searchPath
    .split(delimiter)
    .find((candidate) => candidate && isProgram(join(candidate, 'ffmpeg')));
  return folder === undefined ? undefined : { path: join(folder, 'ffmpeg'), from: 'system' };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
