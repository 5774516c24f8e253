import { type Migration, raw } from '../migrate.ts';

export const provenNumbers: Migration = {
  number: 254,
  name: 'proven-numbers',
  statements: (db) => [
    db.schema.alterTable('msgapp_numbers').addColumn('proven_at', 'bigint'),
    raw(db, `update msgapp_numbers set proven_at = updated_at where calling_settings <> '{}'`),
    raw(
      db,
      `update telephony_numbers set capabilities = '["voice","sms"]' where carrier = 'loopback' and capabilities = '["voice"]'`,
    ),
  ],
};
