/** A decoding priority names whose recording is decoded, and what it yields to. */

/** Places are apart by use, and shared in turns by tenant. */
export type DecodingUse = 'sync' | 'jobs' | 'clones' | 'live';

export interface DecodingPriority {
  readonly tenant: string;
  readonly use: DecodingUse;
  /** Decoding for a sandbox key has slots of its own, and a low CPU priority. */
  readonly trial: boolean;
}

export const decodingPriorityOf = (
  { orgId, environment }: { readonly orgId: string; readonly environment: 'live' | 'sandbox' },
  use: DecodingUse,
): DecodingPriority => ({ tenant: orgId, use, trial: environment === 'sandbox' });

export const decodingPriorityOfRow = (
  { org_id: orgId, environment }: { readonly org_id: string; readonly environment: 'live' | 'sandbox' },
  use: DecodingUse,
): DecodingPriority => decodingPriorityOf({ orgId, environment }, use);

/** A job waits for whoever is on the line. */
const JOBS_NICENESS = 10;
/** A trial waits for everybody else. */
const TRIAL_NICENESS = 19;

export function nicenessOf(turn: DecodingPriority | undefined): number {
  if (turn?.trial) return TRIAL_NICENESS;
  return turn?.use === 'jobs' ? JOBS_NICENESS : 0;
}
