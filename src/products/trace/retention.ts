import { RetentionSweep, type RetentionSweepOptions, retentionRule } from '../../foundation/privacy/index.ts';

/** Removes the conversations behind verdicts once transcripts are no longer kept; verdicts with their quotes stay. */
export const interactionSweep = (deps: RetentionSweepOptions): RetentionSweep =>
  new RetentionSweep(deps, [
    retentionRule({
      table: 'trace_interactions',
      counted: 'trace_transcripts',
      whereRemaining: ['document', 'is not', null],
      update: () => ({ document: null }),
    }),
  ]);
