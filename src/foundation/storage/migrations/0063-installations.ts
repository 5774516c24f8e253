import type { Migration } from '../migrate.ts';

const TENANT_COLUMNS = ['org_id', 'project_id', 'environment'] as const;

export const installations: Migration = {
  number: 63,
  name: 'installations',
  statements: (db) => [
    db.schema
      .createTable('installations')
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('partner', 'text', (column) => column.notNull())
      .addColumn('configuration_id', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('installations_key', [...TENANT_COLUMNS, 'partner', 'configuration_id']),
    db.schema
      .createIndex('installations_by_partner')
      .on('installations')
      .columns(['partner', 'configuration_id']),
  ],
};
