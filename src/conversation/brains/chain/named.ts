import type { Brain, BrainRequest } from '../contract.ts';

/** The brain that a request names; the default one where it names none, or one that is no longer there. */
export function createNamedBrains(fallback: Brain, named: ReadonlyMap<string, Brain>): Brain {
  const chosen = ({ brain }: Pick<BrainRequest, 'brain'>): Brain =>
    (brain === undefined ? undefined : named.get(brain)) ?? fallback;
  return {
    name: fallback.name,
    respond: (request, signal) => chosen(request).respond(request, signal),
    prepare: (persona, language, of = {}) => chosen(of).prepare?.(persona, language, of),
  };
}
