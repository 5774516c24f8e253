import type { CaseState } from '../contract.ts';
import { isTerminal } from '../state-machine.ts';
import type { Assessment } from './assess.ts';
import { type Dossier, evidenceFor } from './dossier.ts';
import { documentsThatCount } from './needs.ts';

const DAY_MS = 24 * 3600 * 1000;

export function growsOldAt(dossier: Dossier): number | null {
  const ends = documentsThatCount(dossier).flatMap(({ id, fields }) =>
    fields.flatMap(({ field, max_age_days: most }) => {
      const found = evidenceFor(dossier, id)?.extraction.fields.find((each) => each.field === field);
      return most === null || found === undefined ? [] : [Date.parse(found.value) + (most + 1) * DAY_MS];
    }),
  );
  return ends.length === 0 ? null : Math.min(...ends);
}

/**
 * Returns whether a document's expiry has changed the state of the case. A case that the network evaluates is not
 * affected.
 */
export const isBehind = ({ row }: Dossier, { state }: Assessment): boolean =>
  !isTerminal(row.state as CaseState) && row.network_status !== 'evaluating' && state !== row.state;
