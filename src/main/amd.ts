import type { Surface } from '../edge/server/index.ts';
import { createAmdSurface } from '../edge/surfaces/amd/index.ts';
import type { RetentionDays } from '../foundation/access/index.ts';
import type { UrlGate } from '../foundation/platform/url-gate/index.ts';
import type { Webhooks } from '../foundation/webhooks/index.ts';
import type { LaneQueue } from '../media/engine/index.ts';
import { AmdCallStore, AmdSettingsStore, wordsSweep } from '../products/amd/index.ts';
import { answerModel, holdModel } from '../speech/amd/index.ts';
import type { CoreServices } from './main.ts';

export function amdSurface(
  { access, billing, clock, sharedClock, background, storage, log }: CoreServices,
  lanes: LaneQueue,
  webhooks: Webhooks,
  gate: UrlGate,
  retention: (orgId: string) => Promise<RetentionDays>,
): Surface {
  return createAmdSurface({
    access,
    lanes,
    clock,
    log,
    gate,
    models: { answers: answerModel(), holds: holdModel() },
    words: wordsSweep({
      storage,
      clock: sharedClock,
      retention,
      background,
    }),
    calls: new AmdCallStore({ storage, billing, webhooks, clock: sharedClock }),
    settings: new AmdSettingsStore(storage, sharedClock),
  });
}
