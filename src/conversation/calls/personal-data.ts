import { type PersonalDataStore, personalDataStoreOf } from '../../foundation/privacy/index.ts';
import { type Blobs, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import { removeTranscript } from './transcripts.ts';

/** What calls hold of persons: the records, with all that was said in them. */
export const callPersonalData = (storage: Storage, blobs: Pick<Blobs, 'deleteOwner'>): PersonalDataStore =>
  personalDataStoreOf(storage, {
    table: 'omni_calls',
    counted: 'calls',
    made: 'started_at',
    over: ['status', '!=', 'live'],
    holding: { transcripts: ['transcript', 'transcript_offloaded_at'] },
    remove: async (reach, id) => {
      const calls = withinTenant(storage.db, reach).deleteFrom('omni_calls').where('id', '=', id);
      await removeTranscript(blobs, id, () => calls.execute());
      return {};
    },
  });
