import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

export const recordings: Migration = {
  number: 220,
  name: 'recordings',
  statements: (db) => [
    db.schema.alterTable('retention').addColumn('recording_days', 'integer'),
    db.schema
      .createTable('call_recordings')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('external_id', 'text')
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('format', 'text')
      .addColumn('bytes', 'bigint')
      .addColumn('starts_at_ms', 'bigint')
      .addColumn('duration_ms', 'bigint')
      .addColumn('redacted_spans', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    db.schema
      .createIndex('call_recordings_by_person')
      .on('call_recordings')
      .columns(['org_id', 'external_id']),
    db.schema
      .createIndex('call_recordings_kept')
      .on('call_recordings')
      .columns(['org_id', 'created_at'])
      .where(sql.ref('status'), '=', sql.lit('success')),
  ],
};
