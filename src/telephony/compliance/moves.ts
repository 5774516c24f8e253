import type { State } from './contract.ts';

/** The only moves there are. */
export const MOVES: Readonly<Record<State, readonly State[]>> = {
  collecting_evidence: ['extracting', 'cancelled'],
  extracting: ['needs_review', 'ready_for_submission', 'cancelled'],
  needs_review: ['extracting', 'ready_for_submission', 'cancelled'],
  ready_for_submission: ['extracting', 'needs_review', 'submitted', 'cancelled'],
  submitted: [],
  cancelled: [],
};

export const isOver = (state: State): boolean => MOVES[state].length === 0;

/** The states gone through from one to another, the last one included: evidence is read before it is judged, also where
 * the rules ask for none. Throws where no way leads there. */
export function wayTo(from: State, to: State): readonly State[] {
  if (from === to) return [];
  if (MOVES[from].includes(to)) return [to];
  if (from === 'collecting_evidence' && MOVES.extracting.includes(to)) return ['extracting', to];
  throw new Error(`no case moves from ${from} to ${to}`);
}
