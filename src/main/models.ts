import type { Models } from '../platform/models/index.ts';
import type { Part } from '../server/index.ts';

/** A model that set-up always fetches is one that traffic waits for. */
export const modelParts = (models: Models): Part[] =>
  models.list.map((model) => {
    const status = models.status(model.id);
    return {
      name: `model ${model.id}`,
      ready: status.ready,
      required: model.fetch === 'default',
      ...(status.detail ? { detail: status.detail } : {}),
    };
  });
