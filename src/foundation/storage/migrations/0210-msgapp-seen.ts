import type { Migration } from '../migrate.ts';

/** When the node of a call by a messaging app last said that it lives: what is left open by a node that died is found by it. */
export const msgappSeen: Migration = {
  number: 210,
  name: 'msgapp-seen',
  statements: (db) => [
    db.schema
      .alterTable('msgapp_calls')
      .addColumn('seen_at', 'bigint', (column) => column.notNull().defaultTo(0)),
    db.schema.createIndex('msgapp_calls_live').on('msgapp_calls').columns(['state', 'seen_at']),
  ],
};
