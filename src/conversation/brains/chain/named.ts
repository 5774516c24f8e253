import type { Brain, BrainRequest } from '../contract.ts';

/** An unknown or missing name selects the default brain. */
export function createNamedBrains(fallback: Brain, named: ReadonlyMap<string, Brain>): Brain {
  const chosen = ({ brain }: Pick<BrainRequest, 'brain'>): Brain =>
    (brain === undefined ? undefined : named.get(brain)) ?? fallback;
  return {
    name: fallback.name,
    respond: (request, signal) => chosen(request).respond(request, signal),
    prepare: (persona, language, of = {}) => chosen(of).prepare?.(persona, language, of),
  };
}
