import { type Holding, holdingOf } from '../privacy/index.ts';
import type { Storage } from '../storage/index.ts';

/** What calls hold of persons: the records, with all that was said in them. */
export const callsOfPersons = (storage: Storage): Holding =>
  holdingOf(storage, {
    table: 'omni_calls',
    counted: 'calls',
    made: 'started_at',
    over: ['status', '!=', 'live'],
    holding: { transcripts: 'transcript' },
  });
