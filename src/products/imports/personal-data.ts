import { type PersonalDataStore, personalDataStoreOf } from '../../foundation/privacy/index.ts';
import type { Storage } from '../../foundation/storage/index.ts';

/** What imports hold of persons: who called whom, and where the recording lies. They are known by their number. */
export const importedCallsOfPersons = (storage: Storage): PersonalDataStore =>
  personalDataStoreOf(storage, { table: 'imported_calls', counted: 'imported_calls' });
