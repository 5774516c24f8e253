import type { Migration } from '../migrate.ts';

const CALLS = ['omni_calls', 'telephony_calls', 'msgapp_calls'] as const;

/**
 * Nodes hold leases, and each live call names its owner. A call of the previous version has no owner and is judged by
 * its own `seen_at` until it ends.
 */
export const nodes: Migration = {
  number: 290,
  name: 'nodes',
  statements: (db) => [
    db.schema
      .createTable('nodes')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('seen_at', 'bigint', (column) => column.notNull())
      .addColumn('fence', 'bigint', (column) => column.notNull())
      .addColumn('is_lost', 'integer', (column) => column.notNull()),
    ...CALLS.flatMap((table) => [
      db.schema.alterTable(table).addColumn('node_id', 'text'),
      db.schema.alterTable(table).addColumn('lost_at', 'bigint'),
    ]),
  ],
};
