import { useEffect, useState } from 'preact/hooks';
import { post } from '../data/api.ts';
import type { Flow } from './document.ts';

export interface Finding {
  /** A node, an edge as `from -> to`, or nothing: the flow as a whole. */
  readonly node: string;
  readonly code: string;
  readonly detail: string;
}

const AFTER_MS = 350;

export interface Findings {
  /** It is null until the server has answered. */
  readonly list: readonly Finding[] | null;
  readonly error: Error | null;
}

/** Asks the server a moment after the last change: its checks are those of a save. */
export function useFindings(agentId: string, flow: Flow): Findings {
  const [found, setFound] = useState<Findings>({ list: null, error: null });
  const asked = JSON.stringify(flow);
  useEffect(() => {
    let isGone = false;
    const timer = setTimeout(() => {
      post(`/v1/agents/${agentId}/flow/check`, { flow }).then(
        ({ problems }) => !isGone && setFound({ list: problems, error: null }),
        (error: Error) => !isGone && setFound(({ list }) => ({ list, error })),
      );
    }, AFTER_MS);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [agentId, asked]);
  return found;
}
