import { type PersonalDataStore, personalDataStoreOf } from '../../foundation/privacy/index.ts';
import type { Storage } from '../../foundation/storage/index.ts';

/**
 * Trace holds judged conversations and quotes of them. The do-not-call list stays: an erased person must not be
 * called either.
 */
export const tracePersonalData = (storage: Storage): PersonalDataStore =>
  personalDataStoreOf(storage, {
    table: 'trace_interactions',
    counted: 'interactions',
    parts: { trace_results: 'interaction_id' },
  });
