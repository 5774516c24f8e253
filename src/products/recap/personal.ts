import { type Holding, holdingOf } from '../../foundation/privacy/index.ts';
import type { Storage } from '../../foundation/storage/index.ts';

/** What Recap holds of persons: records of their calls, with what was said. */
export const recapsOfPersons = (storage: Storage): Holding =>
  holdingOf(storage, { table: 'recap_calls', counted: 'recaps', parts: { recap_scores: 'recap_id' } });
