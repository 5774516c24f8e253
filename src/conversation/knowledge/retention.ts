import { RetentionSweep, type RetentionSweepOptions, retentionRule } from '../../foundation/privacy/index.ts';

/** Removes questions together with the transcripts of their calls. */
export const gapSweep = (deps: RetentionSweepOptions): RetentionSweep =>
  new RetentionSweep(deps, [retentionRule({ table: 'knowledge_gaps', counted: 'knowledge_gaps' })]);
