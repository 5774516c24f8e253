import { expiring, type RetentionDeps, RetentionSweep } from '../privacy/index.ts';

/** Removes what was said in calls that ended long enough ago; the rest of their records stays. */
export const transcriptSweep = (deps: RetentionDeps): RetentionSweep =>
  new RetentionSweep(deps, [
    expiring({
      table: 'omni_calls',
      counted: 'call_transcripts',
      left: ['transcript_removed_at', 'is', null],
      over: ['status', '!=', 'live'],
      become: (now) => ({ transcript: null, transcript_removed_at: now }),
    }),
  ]);
