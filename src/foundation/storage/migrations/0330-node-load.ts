import type { Migration } from '../migrate.ts';

/** Each node publishes how many calls fit on it, so that a full one names another. */
export const nodeLoad: Migration = {
  number: 330,
  name: 'node-load',
  statements: (db) => [
    db.schema.alterTable('nodes').addColumn('public_url', 'text'),
    db.schema
      .alterTable('nodes')
      .addColumn('calls_free', 'integer', (column) => column.notNull().defaultTo(0)),
    db.schema
      .alterTable('nodes')
      .addColumn('calls_capacity', 'integer', (column) => column.notNull().defaultTo(0)),
  ],
};
