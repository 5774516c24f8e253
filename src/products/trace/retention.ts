import { expiring, type RetentionDeps, RetentionSweep } from '../../foundation/privacy/index.ts';

/** Removes the conversations behind verdicts once transcripts are no longer kept; verdicts with their quotes stay. */
export const interactionSweep = (deps: RetentionDeps): RetentionSweep =>
  new RetentionSweep(deps, [
    expiring({
      table: 'trace_interactions',
      counted: 'trace_transcripts',
      left: ['document', 'is not', null],
      become: () => ({ document: null }),
    }),
  ]);
