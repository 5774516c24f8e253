import { type Holding, holdingOf } from '../../foundation/privacy/index.ts';
import type { Storage } from '../../foundation/storage/index.ts';

/** What telephony holds of persons: calls and targets of campaigns, known by the number of the other side. */
export const phonesOfPersons = (storage: Storage): Holding =>
  holdingOf(storage, {
    table: 'telephony_calls',
    counted: 'telephony_calls',
    named: ['to_number', 'from_number'],
    over: ['state', '=', 'ended'],
    besides: { telephony_targets: 'to_number' },
  });
