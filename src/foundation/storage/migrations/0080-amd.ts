import type { Migration, MigrationBuilder } from '../migrate.ts';

const settings = (db: MigrationBuilder) =>
  db.schema
    .createTable('amd_settings')
    .addColumn('org_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('settings', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('amd_settings_key', ['org_id', 'project_id', 'environment']);

const calls = (db: MigrationBuilder) =>
  db.schema
    .createTable('amd_calls')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('org_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text')
    .addColumn('stream_sid', 'text')
    .addColumn('call_sid', 'text')
    .addColumn('called', 'text')
    .addColumn('answered_by', 'text', (column) => column.notNull())
    .addColumn('verdict', 'text', (column) => column.notNull())
    .addColumn('message_end', 'text')
    .addColumn('updates', 'text')
    .addColumn('transcript', 'text')
    .addColumn('evidence', 'text', (column) => column.notNull())
    .addColumn('tunables', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text')
    .addColumn('heard_ms', 'bigint', (column) => column.notNull())
    .addColumn('corrected_to', 'text')
    .addColumn('corrected_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull());

const TENANT_COLUMNS = ['org_id', 'project_id', 'environment'] as const;

export const amd: Migration = {
  number: 80,
  name: 'amd',
  statements: (db) => [
    settings(db),
    calls(db),
    db.schema
      .createIndex('amd_calls_by_reach')
      .on('amd_calls')
      .columns([...TENANT_COLUMNS, 'created_at', 'id']),
    db.schema
      .createIndex('amd_calls_by_number')
      .on('amd_calls')
      .columns([...TENANT_COLUMNS, 'called', 'created_at']),
    db.schema
      .createIndex('amd_calls_corrected')
      .on('amd_calls')
      .columns([...TENANT_COLUMNS, 'corrected_at']),
    db.schema.createIndex('amd_calls_by_age').on('amd_calls').columns(['created_at']),
  ],
};
