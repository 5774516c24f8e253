import { RetentionSweep, type RetentionSweepOptions, retentionRule } from '../../foundation/privacy/index.ts';

/** Removes records of calls, which hold what was said, once transcripts are no longer kept; scores by the day stay. */
export const recapSweep = (deps: RetentionSweepOptions): RetentionSweep =>
  new RetentionSweep(deps, [retentionRule({ table: 'recap_calls', counted: 'recaps' })]);
