import type { Migration } from '../migrate.ts';

export const holds: Migration = {
  number: 21,
  name: 'holds',
  statements: (db) => [
    db.schema
      .createTable('usage_holds')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('use', 'text', (column) => column.notNull())
      .addColumn('meter', 'text', (column) => column.notNull())
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text')
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('milliseconds', 'bigint', (column) => column.notNull())
      .addColumn('count', 'bigint', (column) => column.notNull())
      .addColumn('resource', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull()),
    db.schema.createIndex('usage_holds_org').on('usage_holds').columns(['org_id', 'environment']),
    db.schema.createIndex('usage_holds_expiry').on('usage_holds').column('expires_at'),
  ],
};
