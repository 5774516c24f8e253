import { RetentionSweep, type RetentionSweepOptions, retentionRule } from '../../foundation/privacy/index.ts';

/** Removes records when transcripts expire, because they contain quotes; daily scores stay. */
export const recapSweep = (deps: RetentionSweepOptions): RetentionSweep =>
  new RetentionSweep(deps, [retentionRule({ table: 'recap_calls', counted: 'recaps' })]);
