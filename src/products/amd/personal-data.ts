import { type PersonalDataStore, personalDataStoreOf } from '../../foundation/privacy/index.ts';
import type { Storage } from '../../foundation/storage/index.ts';

/** What judged calls hold of persons: their number, their words, and how their greeting sounds. A person is known by the
 * customer's own name for them, where the stream brought one, or by the number that was called. */
export const amdPersonalData = (storage: Storage): PersonalDataStore =>
  personalDataStoreOf(storage, {
    table: 'amd_calls',
    counted: 'amd_calls',
    named: ['external_id', 'called'],
    holding: { transcripts: ['transcript'] },
  });
