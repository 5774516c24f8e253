import { type PersonalDataStore, personalDataStoreOf } from '../../foundation/privacy/index.ts';
import { type Blobs, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import { forgetCallIfEmpty } from './call-records.ts';
import { removeTranscript } from './transcripts.ts';

export const callPersonalData = (storage: Storage, blobs: Pick<Blobs, 'deleteOwner'>): PersonalDataStore =>
  personalDataStoreOf(storage, {
    table: 'omni_calls',
    counted: 'calls',
    made: 'started_at',
    whereEnded: ['status', '!=', 'live'],
    kinds: { transcripts: ['transcript', 'transcript_offloaded_at'] },
    remove: async (scope, id) => {
      const calls = withinTenant(storage.db, scope).deleteFrom('omni_calls').where('id', '=', id);
      const [call] = await removeTranscript(blobs, id, () => calls.returning('call_id').execute());
      await forgetCallIfEmpty(storage.db, scope, call?.call_id ?? null);
      return {};
    },
  });
