import {
  expiring,
  type RetentionDeps,
  RetentionSweep,
  removeOrphans,
} from '../../foundation/privacy/index.ts';
import type { Blobs } from '../../foundation/storage/index.ts';
import { VOICEMAIL_AREA, type Voicemails } from './voicemails.ts';

/** Removes messages that were kept long enough: their sound as recordings, all of them as transcripts. */
export const voicemailSweep = (
  deps: RetentionDeps & { readonly blobs: Blobs },
  voicemails: Pick<Voicemails, 'silence' | 'remove'>,
): RetentionSweep =>
  new RetentionSweep(
    deps,
    [
      expiring({
        table: 'telephony_voicemails',
        counted: 'voicemail_recordings',
        kept: 'recording',
        left: ['bytes', 'is not', null],
        remove: (reach, id) => voicemails.silence(reach, id as string),
      }),
      expiring({
        table: 'telephony_voicemails',
        counted: 'voicemails',
        remove: (reach, id) => voicemails.remove(reach, id as string),
      }),
    ],
    () => removeOrphans(deps, VOICEMAIL_AREA, 'telephony_voicemails'),
  );
