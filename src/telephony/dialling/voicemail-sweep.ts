import {
  RetentionSweep,
  type RetentionSweepOptions,
  removeOrphans,
  retentionRule,
} from '../../foundation/privacy/index.ts';
import type { Blobs } from '../../foundation/storage/index.ts';
import { DROP_AREA, type VoicemailDrops } from './voicemail-drops.ts';
import { VOICEMAIL_AREA, type Voicemails } from './voicemails.ts';

/**
 * Deletes voicemails at the end of their retention: the audio at that of recordings, the rest at that of transcripts.
 * Recordings of messages that this server left on voicemails follow the retention of recordings.
 */
export const voicemailSweep = (
  deps: RetentionSweepOptions & { readonly blobs: Blobs },
  voicemails: Pick<Voicemails, 'silence' | 'remove'>,
  drops: Pick<VoicemailDrops, 'remove'>,
): RetentionSweep =>
  new RetentionSweep(
    deps,
    [
      retentionRule({
        table: 'telephony_voicemails',
        counted: 'voicemail_recordings',
        policy: 'recording',
        whereRemaining: ['bytes', 'is not', null],
        remove: (scope, id) => voicemails.silence(scope, id as string),
      }),
      retentionRule({
        table: 'telephony_voicemails',
        counted: 'voicemails',
        remove: (scope, id) => voicemails.remove(scope, id as string),
      }),
      retentionRule({
        table: 'telephony_calls',
        counted: 'voicemail_drops',
        policy: 'recording',
        whereRemaining: ['recording_bytes', 'is not', null],
        remove: (scope, id) => drops.remove(scope, id as string),
      }),
    ],
    async () => {
      await removeOrphans(deps, VOICEMAIL_AREA, 'telephony_voicemails');
      await removeOrphans(deps, DROP_AREA, 'telephony_calls');
    },
  );
