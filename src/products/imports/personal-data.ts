import { type PersonalDataStore, personalDataStoreOf } from '../../foundation/privacy/index.ts';
import type { Storage } from '../../foundation/storage/index.ts';

/** Imports hold both numbers of a call and the URL of its recording. A person is known by the number. */
export const importedCallsPersonalData = (storage: Storage): PersonalDataStore =>
  personalDataStoreOf(storage, { table: 'imported_calls', counted: 'imported_calls' });
