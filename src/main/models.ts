import type { ComponentHealth } from '../edge/server/index.ts';
import type { Models } from '../foundation/platform/models/index.ts';
import { missingLibraries } from '../media/engine/index.ts';

/** Readiness waits for models that set-up always fetches. */
export const modelParts = (models: Models): ComponentHealth[] =>
  models.list.map((model) => {
    const status = models.status(model.id);
    return {
      name: `model ${model.id}`,
      ready: status.ready,
      required: model.fetch === 'default',
      ...(status.detail ? { detail: status.detail } : {}),
    };
  });

export function soundParts(missing = missingLibraries()): ComponentHealth[] {
  return (['Opus', 'SRTP'] as const).map((name) => {
    const detail = missing.find((one) => one.name === name)?.detail;
    return {
      name: `sound (${name})`,
      ready: detail === undefined,
      required: false,
      ...(detail && { detail }),
    };
  });
}
