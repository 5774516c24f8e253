import { join } from 'node:path';
import type { Brain } from '../conversation/brains/index.ts';
import { createCastSurface } from '../edge/surfaces/cast/index.ts';
import type { RetentionDays } from '../foundation/access/index.ts';
import type { JobQueue } from '../foundation/jobs/index.ts';
import type { Webhooks } from '../foundation/webhooks/index.ts';
import { findFfmpeg } from '../media/codec/index.ts';
import type { Engine } from '../media/engine/index.ts';
import { CastService } from '../products/cast/index.ts';
import type { VoiceCatalogue } from '../speech/voices/index.ts';
import type { CoreServices } from './main.ts';

/** One process renders this many casts at once, each one line at a time. */
const AT_ONCE = 2;

export interface CastNeeds {
  readonly engine: Engine;
  readonly queue: JobQueue;
  readonly webhooks: Webhooks;
  readonly catalogue: VoiceCatalogue;
  readonly retention: (orgId: string) => Promise<RetentionDays>;
  readonly model: Brain | null;
}

export function castParts(services: CoreServices, needs: CastNeeds) {
  const { config, models, sharedClock: clock, log, ...rest } = services;
  const service = new CastService({
    ...rest,
    ...needs,
    clock,
    ffmpeg: findFfmpeg(config.ffmpeg, models)?.path ?? null,
    folder: join(config.data, 'cast'),
    concurrency: AT_ONCE,
    onError: (err) => log.error({ err }, 'a background task of Cast failed'),
  });
  return { surface: createCastSurface(service), personalData: service.personalData };
}
