import { expiring, type RetentionDeps, RetentionSweep } from '../../foundation/privacy/index.ts';

/** Forgets what was written once it is as old as transcripts may be; who wants no messages is kept, and so is whom a
 * person answers, without what was said of them. */
export const messageSweep = (deps: RetentionDeps): RetentionSweep =>
  new RetentionSweep(deps, [
    expiring({ table: 'messages', counted: 'messages' }),
    expiring({
      table: 'message_hand_overs',
      counted: 'message_summaries',
      left: ['summary', 'is not', null],
      become: () => ({ summary: null }),
    }),
  ]);
