import type { Migration } from '../migrate.ts';

export const lostWorkers: Migration = {
  number: 52,
  name: 'lost-workers',
  statements: (db) => [
    db.schema.alterTable('jobs').addColumn('losses', 'integer', (column) => column.notNull().defaultTo(0)),
  ],
};
