import { expiring, type RetentionDeps, RetentionSweep } from '../privacy/index.ts';

/** Removes what was said in calls that ended long enough ago, and what was made of it; the rest of their records stays. */
export const transcriptSweep = (deps: RetentionDeps): RetentionSweep =>
  new RetentionSweep(deps, [
    expiring({
      table: 'omni_calls',
      counted: 'call_transcripts',
      left: ['transcript_removed_at', 'is', null],
      over: ['status', '!=', 'live'],
      become: (now) => ({
        transcript: null,
        said: null,
        tools: null,
        withheld: null,
        summary: null,
        extraction: null,
        transcript_removed_at: now,
      }),
    }),
  ]);
