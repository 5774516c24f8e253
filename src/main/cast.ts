import { join } from 'node:path';
import type { RetentionDays } from '../access/index.ts';
import type { Brain } from '../brain/index.ts';
import { CastRoom } from '../cast/index.ts';
import { findFfmpeg } from '../codec/index.ts';
import type { Engine } from '../engine/index.ts';
import type { JobQueue } from '../jobs/index.ts';
import type { Rooms } from '../main.ts';
import { createCastSurface } from '../surfaces/cast/index.ts';
import type { VoiceCatalogue } from '../voices/index.ts';
import type { Webhooks } from '../webhooks/index.ts';

/** Renders that one process works on: each speaks one line at a time. */
const AT_ONCE = 2;

export interface CastNeeds {
  readonly engine: Engine;
  readonly queue: JobQueue;
  readonly webhooks: Webhooks;
  readonly catalogue: VoiceCatalogue;
  readonly retention: (orgId: string) => Promise<RetentionDays>;
  /** Language models alone; null: none is configured. */
  readonly model: Brain | null;
}

export function castParts(rooms: Rooms, needs: CastNeeds) {
  const { config, models, sharedClock: clock, log, ...rest } = rooms;
  const room = new CastRoom({
    ...rest,
    ...needs,
    clock,
    ffmpeg: findFfmpeg(config.ffmpeg, models)?.path ?? null,
    folder: join(config.data, 'cast'),
    concurrency: AT_ONCE,
    onError: (err) => log.error({ err }, 'a task of casts failed'),
  });
  return { surface: createCastSurface(room), holding: room.holding };
}
