import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBilling } from '../../../../src/foundation/billing/index.ts';
import { JobQueue } from '../../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../../src/foundation/platform/background-tasks.ts';
import { type Clock, systemClock } from '../../../../src/foundation/platform/clock.ts';
import { Models } from '../../../../src/foundation/platform/models/index.ts';
import { openBlobs, openStorage, type StorageOptions } from '../../../../src/foundation/storage/index.ts';
import { findFfmpeg } from '../../../../src/media/codec/index.ts';
import type { Engine } from '../../../../src/media/engine/index.ts';
import { type AskModel, CastService } from '../../../../src/products/cast/index.ts';
import { Marks } from '../../../../src/products/provenance/index.ts';
import { StockVoices, VoiceCatalogue, VoiceStore } from '../../../../src/speech/voices/index.ts';
import { outboxOn } from '../../../foundation/webhooks/checked.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';

const models = new Models();
const missing = ['kokoro', 'piper-joe', 'espeak-ng'].filter((id) => !models.status(id).ready);
export const absent = missing.join(', ');
export const ffmpeg = findFfmpeg(null, models)?.path ?? null;

export interface OpenOptions {
  readonly folder?: string;
  readonly clock?: Clock;
  readonly model?: AskModel;
  readonly database?: StorageOptions;
  readonly secret?: string;
  readonly idle?: boolean;
}

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'cast-'));

export async function openService(
  speaking: Engine,
  { folder = newFolder(), clock = systemClock, ...options }: OpenOptions,
) {
  const storage = await openStorage(options.database ?? { dataDir: folder, clock });
  const blobs = await openBlobs({ folder: join(folder, 'blobs') });
  const access = new OneKeyAccess();
  const faults: Error[] = [];
  const marks = options.secret === undefined ? null : new Marks(storage, clock, Buffer.from(options.secret));
  const webhooks = outboxOn(storage, clock);
  const service = new CastService({
    storage,
    blobs,
    clock,
    background: new BackgroundTasks({ clock }),
    access,
    billing: createBilling({ storage, clock, background: new BackgroundTasks({ clock }) }),
    engine: speaking,
    ffmpeg,
    queue: new JobQueue(storage, clock),
    webhooks,
    catalogue: new VoiceCatalogue(new StockVoices(), new VoiceStore(storage, clock), marks),
    model: options.model ?? null,
    folder: join(folder, 'work'),
    concurrency: 1,
    onError: (error) => faults.push(error),
  });
  const close = async () => {
    await service.stop(0);
    await storage.close();
    await blobs.close();
  };
  return { service, storage, blobs, access, marks, faults, webhooks, folder, close };
}
