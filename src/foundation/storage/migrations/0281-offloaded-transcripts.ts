import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

export const offloadedTranscripts: Migration = {
  number: 281,
  name: 'offloaded-transcripts',
  statements: (db) => [
    db.schema.alterTable('omni_calls').addColumn('transcript_bytes', 'integer'),
    db.schema.alterTable('omni_calls').addColumn('transcript_offloaded_at', 'bigint'),
    db.schema
      .createIndex('omni_calls_inline_by_size')
      .on('omni_calls')
      .column('transcript_bytes')
      .where(sql.ref('transcript'), 'is not', null),
    db.schema
      .createIndex('omni_calls_inline_by_age')
      .on('omni_calls')
      .columns(['org_id', 'created_at'])
      .where(sql.ref('transcript'), 'is not', null),
    db.schema.alterTable('retention').addColumn('transcript_offload_days', 'integer'),
  ],
};
