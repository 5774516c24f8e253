import { availableParallelism, tmpdir } from 'node:os';
import { AudioDecoder, findFfmpeg } from '../media/codec/index.ts';
import type { CoreServices } from './main.ts';

export function createDecoder({
  config,
  models,
  log,
}: Pick<CoreServices, 'config' | 'models' | 'log'>): AudioDecoder {
  const ffmpeg = findFfmpeg(config.ffmpeg, models);
  if (!ffmpeg)
    log.warn('ffmpeg is missing: uploads cannot be decoded; fetch it with npx trunkline models fetch');
  return new AudioDecoder({
    ffmpeg: ffmpeg?.path ?? 'ffmpeg',
    temporary: tmpdir(),
    atOnce: Math.max(2, availableParallelism()),
  });
}
