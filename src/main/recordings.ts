import { join } from 'node:path';
import { RecordedCalls } from '../conversation/calls/index.ts';
import type { Metrics } from '../foundation/platform/metrics.ts';
import { findFfmpeg } from '../media/codec/index.ts';
import { type PartsOptions, Recordings } from '../media/recordings/index.ts';
import type { CoreServices } from './main.ts';
import type { postCallParts } from './post-call.ts';
import { PURPOSES } from './sealing.ts';

export interface RecordingsNeeds {
  readonly metrics: Metrics;
  readonly after: Pick<Awaited<ReturnType<typeof postCallParts>>, 'redacts'>;
  readonly onError: (error: unknown) => void;
}

export const openRecordings = (services: CoreServices, needs: RecordingsNeeds): Recordings => {
  const { config, storage, blobs, sharedClock, background, models } = services;
  return new Recordings({
    storage,
    calls: new RecordedCalls(storage, blobs, needs.after.redacts),
    blobs,
    clock: sharedClock,
    background,
    folder: join(config.data, 'recordings'),
    format: config.recordingFormat,
    ffmpeg: findFfmpeg(config.ffmpeg, models)?.path ?? null,
    parts: partsOf(services, needs.metrics),
    onError: needs.onError,
  });
};

/** A store in the data folder would be lost with the files of live recordings. */
function partsOf({ config, sealing }: CoreServices, metrics: Metrics): PartsOptions | null {
  if (config.s3Bucket === null) return null;
  return {
    everyMs: config.recordingPartSeconds * 1000,
    sealer: sealing.sealer(PURPOSES.recordings),
    onPart: metrics.addCounter(
      'trunkline_recording_parts_total',
      'Number of parts of live recordings that were sent to the object store, by outcome.',
      ['outcome'],
    ),
  };
}
