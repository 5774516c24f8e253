import { type PersonalDataStore, personalDataStoreOf } from '../../foundation/privacy/index.ts';
import type { Storage } from '../../foundation/storage/index.ts';
import type { Recordings } from './recordings.ts';

/** Recordings hold voices. A recording has its call's id, and the same legal hold. */
export const recordingPersonalData = (
  storage: Storage,
  recordings: Pick<Recordings, 'forget'>,
): PersonalDataStore =>
  personalDataStoreOf(storage, {
    table: 'call_recordings',
    counted: 'call_recordings',
    whereEnded: ['status', '!=', 'recording'],
    remove: async (scope, id) => {
      await recordings.forget(scope, id);
      return {};
    },
  });
