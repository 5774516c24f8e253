import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordedCalls } from '../../../src/conversation/calls/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import type { Clock } from '../../../src/foundation/platform/clock.ts';
import { type Blobs, openBlobs, QuotaBlobs, type Storage } from '../../../src/foundation/storage/index.ts';
import { type PartsOptions, type RecordingFormat, Recordings } from '../../../src/media/recordings/index.ts';

export interface OpenedRecordings {
  readonly format?: RecordingFormat;
  readonly ffmpeg?: string | null;
  readonly blobs?: Blobs;
  readonly parts?: PartsOptions | null;
  readonly redacts?: boolean;
}

export function recordingsIn(
  storage: Storage,
  clock: Clock,
  dataDir = mkdtempSync(join(tmpdir(), 'recordings-')),
  {
    format = 'wav',
    ffmpeg = null,
    blobs = blobsIn(storage, clock, dataDir),
    parts = null,
    redacts = false,
  }: OpenedRecordings = {},
): Recordings {
  const calls = new RecordedCalls(storage, blobs, async () => redacts);
  return new Recordings({
    storage,
    calls,
    blobs,
    clock,
    background: new BackgroundTasks({ clock }),
    folder: join(dataDir, 'recordings'),
    format,
    ffmpeg,
    parts,
  });
}

export function blobsIn(
  storage: Storage,
  clock: Clock,
  dataDir = mkdtempSync(join(tmpdir(), 'blobs-')),
): Blobs {
  let opened: Promise<Blobs> | null = null;
  const open = () => (opened ??= accountedIn(storage, clock, dataDir));
  return {
    put: async (key, source, options) => (await open()).put(key, source, options),
    get: async (key, range) => (await open()).get(key, range),
    stat: async (key) => (await open()).stat(key),
    delete: async (key) => (await open()).delete(key),
    deleteOwner: async (area, owner) => (await open()).deleteOwner(area, owner),
    list: async (area, owner) => (await open()).list(area, owner),
    owners: async function* (area) {
      yield* (await open()).owners(area);
    },
    sweep: async () => (await open()).sweep(),
    part: async () => (await open()).part(),
    close: async () => (await open()).close(),
  };
}

export async function accountedIn(
  storage: Storage,
  clock: Clock,
  dataDir: string,
  quota: number | null = null,
): Promise<QuotaBlobs> {
  const blobs = await openBlobs({ folder: join(dataDir, 'blobs') });
  return new QuotaBlobs({ blobs, storage, clock, quota: async () => quota });
}
