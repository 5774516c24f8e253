import { type PersonalDataStore, personalDataStoreOf } from '../../foundation/privacy/index.ts';
import type { Storage } from '../../foundation/storage/index.ts';

/** Recap holds records of calls with their transcripts. */
export const recapPersonalData = (storage: Storage): PersonalDataStore =>
  personalDataStoreOf(storage, {
    table: 'recap_calls',
    counted: 'recaps',
    parts: { recap_scores: 'recap_id' },
  });
