import type { CaseState, Continuation, FieldMatch, MissingItem } from '../contract.ts';
import { matchesOf } from '../matching/matches.ts';
import { isTerminal } from '../state-machine.ts';
import { type Dossier, evidenceFor, isUnfinished } from './dossier.ts';
import { missingOf } from './missing.ts';
import { documentsThatCount } from './needs.ts';

/** The assessment of the evidence decides a case's state, and nothing else does. */
export interface Assessment {
  readonly state: CaseState;
  readonly continuation: Continuation;
  readonly missing: readonly MissingItem[];
  readonly matches: readonly FieldMatch[];
}

export function assess(dossier: Dossier, now: number): Assessment {
  const matches = matchesOf(dossier);
  const current = dossier.row.state as CaseState;
  const missing = isTerminal(current) ? [] : missingOf(dossier, matches, now);
  const state = stateOf(dossier, missing);
  return { state, continuation: continuationOf(dossier, state), missing, matches };
}

function stateOf(dossier: Dossier, missing: readonly MissingItem[]): CaseState {
  const state = dossier.row.state as CaseState;
  if (isTerminal(state)) return state;
  if (isBeingRead(dossier)) return 'extracting';
  if (missing.length === 0) return 'ready_for_submission';
  return state === 'collecting_evidence' && dossier.uploads.length === 0 ? state : 'needs_review';
}

const isBeingRead = (dossier: Dossier): boolean =>
  documentsThatCount(dossier).some(({ id }) => {
    const evidence = evidenceFor(dossier, id);
    return evidence !== null && isUnfinished(evidence.extraction);
  });

const BY_STATE: Readonly<Record<CaseState, Continuation>> = {
  collecting_evidence: 'evidence_missing',
  extracting: 'extraction_running',
  needs_review: 'review_needed',
  ready_for_submission: 'ready_to_submit',
  submitted: 'network_reviewing',
  cancelled: 'cancelled',
};

function continuationOf({ row, talk }: Dossier, state: CaseState): Continuation {
  if (state === 'needs_review' && talk.asked_back.length > 0) return 'network_asked_back';
  if (state === 'ready_for_submission' && row.network_status === 'evaluating') return 'network_evaluating';
  if (state === 'submitted' && row.network_status === 'approved') return 'network_approved';
  if (state === 'submitted' && row.network_status === 'rejected') return 'network_rejected';
  return BY_STATE[state];
}
