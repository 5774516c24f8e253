import type { Migration } from '../migrate.ts';

export const telephonyTalks: Migration = {
  number: 241,
  name: 'telephony-talks',
  statements: (db) => [
    db.schema.createIndex('telephony_calls_by_talk').on('telephony_calls').columns(['omni_call_id']),
  ],
};
