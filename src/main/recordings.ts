import { join } from 'node:path';
import { RecordedCalls } from '../conversation/calls/index.ts';
import { findFfmpeg } from '../media/codec/index.ts';
import { Recordings } from '../media/recordings/index.ts';
import type { CoreServices } from './main.ts';

export const openRecordings = (
  { config, storage, blobs, sharedClock, background, models }: CoreServices,
  onError: (error: unknown) => void,
): Recordings =>
  new Recordings({
    storage,
    calls: new RecordedCalls(storage, blobs),
    blobs,
    clock: sharedClock,
    background,
    folder: join(config.data, 'recordings'),
    format: config.recordingFormat,
    ffmpeg: findFfmpeg(config.ffmpeg, models)?.path ?? null,
    onError,
  });
