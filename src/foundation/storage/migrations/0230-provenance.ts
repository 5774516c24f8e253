import type { Migration } from '../migrate.ts';

export const provenance: Migration = {
  number: 230,
  name: 'provenance',
  statements: (db) => [
    db.schema
      .createTable('provenance_settings')
      .addColumn('org_id', 'text', (column) => column.primaryKey().references('organizations.id'))
      .addColumn('country', 'text')
      .addColumn('marks', 'integer')
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
  ],
};
