import type { Migration } from '../migrate.ts';

const GIGABYTE = 1_000_000_000;
const QUOTAS = { sandbox: 1 * GIGABYTE, standard: 100 * GIGABYTE, scale: 2_000 * GIGABYTE };

export const storageQuotas: Migration = {
  number: 15,
  name: 'storage-quotas',
  statements: (db) => [
    db.schema.alterTable('plans').addColumn('storage_bytes', 'bigint'),
    ...Object.entries(QUOTAS).map(([id, storage_bytes]) =>
      db.updateTable('plans').set({ storage_bytes }).where('id', '=', id),
    ),
    db.schema
      .createTable('stored_files')
      .addColumn('area', 'text', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('reserved_at', 'bigint', (column) => column.notNull())
      .addColumn('stored_at', 'bigint')
      .addPrimaryKeyConstraint('stored_files_key', ['area', 'owner', 'name']),
    db.schema.createIndex('stored_files_by_org').on('stored_files').columns(['org_id', 'environment']),
    db.schema.createIndex('organizations_by_kind').on('organizations').columns(['kind', 'created_at']),
  ],
};
