import type { Migration } from '../migrate.ts';

const TENANT_COLUMNS = ['org_id', 'project_id', 'environment'] as const;

export const destinations: Migration = {
  number: 61,
  name: 'destinations',
  statements: (db) => [
    TENANT_COLUMNS.reduce(
      (create, name) => create.addColumn(name, 'text', (column) => column.notNull()),
      db.schema.createTable('destinations'),
    )
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('name', 'text')
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('events', 'text', (column) => column.notNull())
      .addColumn('filters', 'text', (column) => column.notNull())
      .addColumn('event_version', 'text', (column) => column.notNull())
      .addColumn('settings', 'text')
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    db.schema
      .createIndex('destinations_by_place')
      .on('destinations')
      .columns([...TENANT_COLUMNS, 'created_at', 'id']),
    db.schema.alterTable('webhook_deliveries').addColumn('destination_id', 'text'),
  ],
};
