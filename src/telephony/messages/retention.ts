import { RetentionSweep, type RetentionSweepOptions, retentionRule } from '../../foundation/privacy/index.ts';

/** Deletes messages at the age of the transcript retention. Opt-outs stay; hand-overs stay without their summaries. */
export const messageSweep = (deps: RetentionSweepOptions): RetentionSweep =>
  new RetentionSweep(deps, [
    retentionRule({ table: 'messages', counted: 'messages' }),
    retentionRule({
      table: 'message_hand_overs',
      counted: 'message_summaries',
      whereRemaining: ['summary', 'is not', null],
      update: () => ({ summary: null }),
    }),
  ]);
