import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

export const omniTranscripts: Migration = {
  number: 71,
  name: 'omni-transcripts',
  statements: (db) => [
    db.schema.alterTable('omni_calls').addColumn('transcript_removed_at', 'bigint'),
    db.schema
      .createIndex('omni_calls_with_transcript')
      .on('omni_calls')
      .columns(['org_id', 'created_at'])
      .where(sql.ref('transcript_removed_at'), 'is', null),
  ],
};
