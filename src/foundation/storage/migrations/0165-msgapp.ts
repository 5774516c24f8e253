import type { Migration, MigrationBuilder } from '../migrate.ts';

const TENANT_COLUMNS = ['org_id', 'project_id', 'environment'] as const;

const bordered = (db: MigrationBuilder, table: string) =>
  db.schema
    .createTable(table)
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('org_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull());

const numbers = (db: MigrationBuilder) =>
  bordered(db, 'msgapp_numbers')
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('waba_id', 'text', (column) => column.notNull())
    .addColumn('phone_number_id', 'text', (column) => column.notNull())
    .addColumn('phone_number', 'text', (column) => column.notNull())
    .addColumn('app_id', 'text', (column) => column.notNull())
    .addColumn('secrets', 'text', (column) => column.notNull())
    .addColumn('verify_sha256', 'text', (column) => column.notNull())
    .addColumn('agent_id', 'text')
    .addColumn('calling_enabled', 'integer', (column) => column.notNull())
    .addColumn('calling_settings', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('released_at', 'bigint');

const permissions = (db: MigrationBuilder) =>
  bordered(db, 'msgapp_permissions')
    .addColumn('number_id', 'text', (column) => column.notNull())
    .addColumn('phone_number', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('until', 'bigint')
    .addColumn('asked', 'text', (column) => column.notNull())
    .addColumn('unanswered', 'integer', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull());

const calls = (db: MigrationBuilder) =>
  bordered(db, 'msgapp_calls')
    .addColumn('number_id', 'text', (column) => column.notNull())
    .addColumn('provider_call_id', 'text', (column) => column.notNull())
    .addColumn('direction', 'text', (column) => column.notNull())
    .addColumn('from_number', 'text', (column) => column.notNull())
    .addColumn('to_number', 'text', (column) => column.notNull())
    .addColumn('agent_id', 'text')
    .addColumn('omni_call_id', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('end_reason', 'text')
    .addColumn('error', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('answered_at', 'bigint')
    .addColumn('ended_at', 'bigint');

export const msgapp: Migration = {
  number: 165,
  name: 'msgapp',
  statements: (db) => [
    numbers(db),
    permissions(db),
    calls(db),
    db.schema
      .createIndex('msgapp_numbers_by_reach')
      .on('msgapp_numbers')
      .columns([...TENANT_COLUMNS, 'created_at', 'id']),
    db.schema.createIndex('msgapp_numbers_by_provider').on('msgapp_numbers').columns(['phone_number_id']),
    db.schema.createIndex('msgapp_numbers_by_verify').on('msgapp_numbers').columns(['verify_sha256']),
    db.schema
      .createIndex('msgapp_calls_by_reach')
      .on('msgapp_calls')
      .columns([...TENANT_COLUMNS, 'created_at', 'id']),
    db.schema
      .createIndex('msgapp_calls_by_provider')
      .on('msgapp_calls')
      .columns(['number_id', 'provider_call_id'])
      .unique(),
  ],
};
