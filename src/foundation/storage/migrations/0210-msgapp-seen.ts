import type { Migration } from '../migrate.ts';

/** The node of a messaging-app call renews this time; the sweep finds calls of dead nodes by it. */
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
