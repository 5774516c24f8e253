import type { Migration } from '../migrate.ts';

/** Lost workers and failed attempts have separate counts. */
export const lostWorkers: Migration = {
  number: 52,
  name: 'lost-workers',
  statements: (db) => [
    db.schema.alterTable('jobs').addColumn('losses', 'integer', (column) => column.notNull().defaultTo(0)),
  ],
};
