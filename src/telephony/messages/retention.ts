import { RetentionSweep, type RetentionSweepOptions, retentionRule } from '../../foundation/privacy/index.ts';

/** Forgets what was written once it is as old as transcripts may be; who wants no messages is kept, and so is whom a
 * person answers, without what was said of them. */
export const messageSweep = (deps: RetentionSweepOptions): RetentionSweep =>
  new RetentionSweep(deps, [
    retentionRule({ table: 'messages', counted: 'messages' }),
    retentionRule({
      table: 'message_hand_overs',
      counted: 'message_summaries',
      left: ['summary', 'is not', null],
      become: () => ({ summary: null }),
    }),
  ]);
