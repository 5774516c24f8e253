import { expiring, type RetentionDeps, RetentionSweep } from '../../foundation/privacy/index.ts';

/** Removes the questions of calls whose transcripts are no longer kept. */
export const gapSweep = (deps: RetentionDeps): RetentionSweep =>
  new RetentionSweep(deps, [expiring({ table: 'knowledge_gaps', counted: 'knowledge_gaps' })]);
