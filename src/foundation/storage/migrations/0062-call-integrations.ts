import type { Migration, MigrationBuilder } from '../migrate.ts';

const TENANT_COLUMNS = ['org_id', 'project_id', 'environment'] as const;

const bordered = (db: MigrationBuilder, table: string) =>
  TENANT_COLUMNS.reduce(
    (create, name) => create.addColumn(name, 'text', (column) => column.notNull()),
    db.schema.createTable(table),
  );

export const callIntegrations: Migration = {
  number: 62,
  name: 'call-integrations',
  statements: (db) => [
    db.schema
      .alterTable('organizations')
      .addColumn('calls_entitled', 'integer', (column) => column.notNull().defaultTo(0)),
    db.schema
      .createTable('call_tokens')
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('token_hash', 'text', (column) => column.notNull().unique())
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('call_tokens_key', [...TENANT_COLUMNS, 'provider']),
    bordered(db, 'imported_calls')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('provider_call_id', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('direction', 'text')
      .addColumn('from_number', 'text')
      .addColumn('to_number', 'text')
      .addColumn('external_id', 'text')
      .addColumn('started_at', 'bigint')
      .addColumn('ended_at', 'bigint')
      .addColumn('recording_url', 'text')
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('job_id', 'text')
      .addColumn('error', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    db.schema
      .createIndex('imported_calls_once')
      .unique()
      .on('imported_calls')
      .columns([...TENANT_COLUMNS, 'provider', 'provider_call_id']),
    db.schema
      .createIndex('imported_calls_by_place')
      .on('imported_calls')
      .columns([...TENANT_COLUMNS, 'created_at', 'id']),
    db.schema.createIndex('imported_calls_by_age').on('imported_calls').columns(['org_id', 'created_at']),
  ],
};
