import { type PersonalDataStore, personalDataStoreOf } from '../../foundation/privacy/index.ts';
import type { Storage } from '../../foundation/storage/index.ts';

/** What messages hold of persons: what they wrote and were written. They are known by their number. */
export const messagesPersonalData = (storage: Storage): PersonalDataStore =>
  personalDataStoreOf(storage, { table: 'messages', counted: 'messages' });

/** What agents told people of whom they handed over. */
export const handOversPersonalData = (storage: Storage): PersonalDataStore =>
  personalDataStoreOf(storage, { table: 'message_hand_overs', counted: 'message_hand_overs' });
