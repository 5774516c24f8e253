import { expiring, type RetentionDeps, RetentionSweep } from '../../foundation/privacy/index.ts';

/** Removes records of calls, which hold what was said, once transcripts are no longer kept; scores by the day stay. */
export const recapSweep = (deps: RetentionDeps): RetentionSweep =>
  new RetentionSweep(deps, [expiring({ table: 'recap_calls', counted: 'recaps' })]);
