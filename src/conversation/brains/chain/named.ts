import type { Brain, BrainLanguage, BrainRequest } from '../contract.ts';

export interface BrainNeed extends Pick<BrainRequest, 'brain' | 'plan'> {
  readonly language: BrainLanguage;
}

/** An unknown or missing name selects the default brain. `choose` turns what a request names into what serves it. */
export function createNamedBrains(
  fallback: Brain,
  named: ReadonlyMap<string, Brain>,
  choose: (need: BrainNeed) => string | undefined = ({ brain }) => brain,
): Brain {
  const chosen = (need: BrainNeed): Brain => {
    const name = choose(need);
    return (name === undefined ? undefined : named.get(name)) ?? fallback;
  };
  return {
    name: fallback.name,
    respond: (request, signal) => chosen(request).respond(request, signal),
    prepare: (persona, language, of = {}) => chosen({ ...of, language }).prepare?.(persona, language, of),
  };
}
