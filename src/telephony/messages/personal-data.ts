import { type PersonalDataStore, personalDataStoreOf } from '../../foundation/privacy/index.ts';
import type { Storage } from '../../foundation/storage/index.ts';

/** Messages hold what a person wrote and received, known by their number. */
export const messagesPersonalData = (storage: Storage): PersonalDataStore =>
  personalDataStoreOf(storage, { table: 'messages', counted: 'messages' });

/** Hand-overs hold the agents' summaries of the persons whom they handed over. */
export const handOversPersonalData = (storage: Storage): PersonalDataStore =>
  personalDataStoreOf(storage, { table: 'message_hand_overs', counted: 'message_hand_overs' });
