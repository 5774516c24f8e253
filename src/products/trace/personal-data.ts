import { type PersonalDataStore, personalDataStoreOf } from '../../foundation/privacy/index.ts';
import type { Storage } from '../../foundation/storage/index.ts';

/** What Trace holds of persons: conversations that were judged, and what was quoted of them. The do-not-call list stays:
 * a person who is forgotten is not to be called either. */
export const tracePersonalData = (storage: Storage): PersonalDataStore =>
  personalDataStoreOf(storage, {
    table: 'trace_interactions',
    counted: 'interactions',
    parts: { trace_results: 'interaction_id' },
  });
