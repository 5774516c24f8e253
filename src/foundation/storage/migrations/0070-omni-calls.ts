import type { Migration, MigrationBuilder } from '../migrate.ts';

const calls = (db: MigrationBuilder) =>
  db.schema
    .createTable('omni_calls')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('org_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text')
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('session_label', 'text')
    .addColumn('external_id', 'text')
    .addColumn('language', 'text', (column) => column.notNull())
    .addColumn('voice_id', 'text', (column) => column.notNull())
    .addColumn('voice_tier', 'text', (column) => column.notNull())
    .addColumn('duration_ms', 'bigint', (column) => column.notNull())
    .addColumn('end_reason', 'text')
    .addColumn('error', 'text')
    .addColumn('transcript', 'text')
    .addColumn('turns', 'text')
    .addColumn('meta', 'text');

export const omniCalls: Migration = {
  number: 70,
  name: 'omni-calls',
  statements: (db) => [
    calls(db),
    db.schema.createIndex('omni_calls_by_org').on('omni_calls').columns(['org_id', 'created_at', 'id']),
    db.schema.createIndex('omni_calls_live').on('omni_calls').columns(['status', 'seen_at']),
  ],
};
