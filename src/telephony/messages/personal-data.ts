import { type PersonalDataStore, personalDataStoreOf } from '../../foundation/privacy/index.ts';
import type { Storage } from '../../foundation/storage/index.ts';

export const messagesPersonalData = (storage: Storage): PersonalDataStore =>
  personalDataStoreOf(storage, { table: 'messages', counted: 'messages' });

export const handOversPersonalData = (storage: Storage): PersonalDataStore =>
  personalDataStoreOf(storage, { table: 'message_hand_overs', counted: 'message_hand_overs' });
