import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

export const voicemailDrops: Migration = {
  number: 283,
  name: 'voicemail-drops',
  statements: (db) => [
    db.schema.alterTable('telephony_calls').addColumn('recording_bytes', 'bigint'),
    db.schema
      .createIndex('telephony_calls_recorded')
      .on('telephony_calls')
      .columns(['org_id', 'created_at'])
      .where(sql.ref('recording_bytes'), 'is not', null),
  ],
};
