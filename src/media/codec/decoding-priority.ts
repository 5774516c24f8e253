/** Each use has slots of its own, which tenants share fairly. */
export type DecodingUse = 'sync' | 'jobs' | 'clones' | 'live';

export interface DecodingPriority {
  readonly tenant: string;
  readonly use: DecodingUse;
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

const JOBS_NICENESS = 10;
const TRIAL_NICENESS = 19;

export function nicenessOf(turn: DecodingPriority | undefined): number {
  if (turn?.trial) return TRIAL_NICENESS;
  return turn?.use === 'jobs' ? JOBS_NICENESS : 0;
}
