import type { Migration } from '../migrate.ts';

export const hear: Migration = {
  number: 30,
  name: 'hear',
  statements: (db) => [
    db.schema
      .createTable('hear_vocabularies')
      .addColumn('org_id', 'text', (column) => column.primaryKey())
      .addColumn('terms', 'text', (column) => column.notNull())
      .addColumn('batch_active', 'integer', (column) => column.notNull())
      .addColumn('streaming_active', 'integer', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
  ],
};
