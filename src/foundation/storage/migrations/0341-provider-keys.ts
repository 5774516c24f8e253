import type { Migration } from '../migrate.ts';

const TENANT = ['org_id', 'project_id', 'environment'] as const;

export const providerKeys: Migration = {
  number: 341,
  name: 'provider-keys',
  statements: (db) => [
    db.schema
      .createTable('provider_keys')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('purpose', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('settings', 'text', (column) => column.notNull())
      .addColumn('secret', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    db.schema
      .createIndex('provider_keys_by_name')
      .unique()
      .on('provider_keys')
      .columns([...TENANT, 'purpose', 'name']),
    db.schema
      .alterTable('provider_costs')
      .addColumn('credential', 'text', (column) => column.notNull().defaultTo('operator')),
  ],
};
