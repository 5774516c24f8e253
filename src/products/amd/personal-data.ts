import { type PersonalDataStore, personalDataStoreOf } from '../../foundation/privacy/index.ts';
import type { Storage } from '../../foundation/storage/index.ts';

/**
 * Judged calls hold the number, the words and the acoustic features of a greeting. A person is known by the
 * customer's own name for them, or by the number that was called.
 */
export const amdPersonalData = (storage: Storage): PersonalDataStore =>
  personalDataStoreOf(storage, {
    table: 'amd_calls',
    counted: 'amd_calls',
    named: ['external_id', 'called'],
    kinds: { transcripts: ['transcript'] },
  });
