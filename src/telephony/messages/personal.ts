import { type Holding, holdingOf } from '../../foundation/privacy/index.ts';
import type { Storage } from '../../foundation/storage/index.ts';

/** What messages hold of persons: what they wrote and were written. They are known by their number. */
export const messagesOfPersons = (storage: Storage): Holding =>
  holdingOf(storage, { table: 'messages', counted: 'messages' });

/** What agents told people of whom they handed over. */
export const handOversOfPersons = (storage: Storage): Holding =>
  holdingOf(storage, { table: 'message_hand_overs', counted: 'message_hand_overs' });
