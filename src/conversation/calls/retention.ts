import {
  RetentionSweep,
  type RetentionSweepOptions,
  removeOrphans,
  retentionRule,
} from '../../foundation/privacy/index.ts';
import { type Blobs, withinTenant } from '../../foundation/storage/index.ts';
import { BLOB_AREA, removeTranscript } from './transcripts.ts';

export interface TranscriptSweepDeps extends RetentionSweepOptions {
  readonly blobs: Blobs;
}

const NOTHING = {
  transcript: null,
  transcript_offloaded_at: null,
  said: null,
  tools: null,
  withheld: null,
  summary: null,
  extraction: null,
};

/** Removes transcripts and their results after the retention period; the rest of the records stays. */
export const transcriptSweep = (deps: TranscriptSweepDeps): RetentionSweep =>
  new RetentionSweep(
    deps,
    [
      retentionRule({
        table: 'omni_calls',
        counted: 'call_transcripts',
        whereRemaining: ['transcript_removed_at', 'is', null],
        whereEnded: ['status', '!=', 'live'],
        remove: async (scope, id) => {
          const { storage, blobs, clock } = deps;
          const call = withinTenant(storage.db, scope)
            .updateTable('omni_calls')
            .set({ ...NOTHING, transcript_removed_at: clock.now() })
            .where('id', '=', id as string);
          await removeTranscript(blobs, id as string, () => call.execute());
        },
      }),
    ],
    () => removeOrphans(deps, BLOB_AREA, 'omni_calls'),
  );
