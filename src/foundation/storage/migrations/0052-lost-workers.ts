import type { Migration } from '../migrate.ts';

/** A worker that vanished is counted apart from a try that failed. */
export const lostWorkers: Migration = {
  number: 52,
  name: 'lost-workers',
  statements: (db) => [
    db.schema.alterTable('jobs').addColumn('losses', 'integer', (column) => column.notNull().defaultTo(0)),
  ],
};
