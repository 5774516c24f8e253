import type { Migration } from '../migrate.ts';

export const pronunciations: Migration = {
  number: 342,
  name: 'pronunciations',
  statements: (db) => [
    db.schema
      .createTable('speak_pronunciations')
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('entries', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('speak_pronunciations_place', ['org_id', 'project_id', 'environment']),
  ],
};
