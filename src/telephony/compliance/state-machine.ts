import type { CaseState } from './contract.ts';

export const TRANSITIONS: Readonly<Record<CaseState, readonly CaseState[]>> = {
  collecting_evidence: ['extracting', 'cancelled'],
  extracting: ['needs_review', 'ready_for_submission', 'cancelled'],
  needs_review: ['extracting', 'ready_for_submission', 'cancelled'],
  ready_for_submission: ['extracting', 'needs_review', 'submitted', 'cancelled'],
  submitted: [],
  cancelled: [],
};

export const isTerminal = (state: CaseState): boolean => TRANSITIONS[state].length === 0;

/**
 * Returns the states on the path, the last one included: evidence is read before it is judged, even where the rules
 * require none. Throws where no path exists.
 */
export function transitionsTo(from: CaseState, to: CaseState): readonly CaseState[] {
  if (from === to) return [];
  if (TRANSITIONS[from].includes(to)) return [to];
  if (from === 'collecting_evidence' && TRANSITIONS.extracting.includes(to)) return ['extracting', to];
  throw new Error(`no case moves from ${from} to ${to}`);
}
