import type { Migration } from '../migrate.ts';

/** The time is the provider's, so that an older permission reply that arrives later is ignored. */
export const msgappReplies: Migration = {
  number: 211,
  name: 'msgapp-replies',
  statements: (db) => [
    db.schema
      .alterTable('msgapp_permissions')
      .addColumn('replied_at', 'bigint', (column) => column.notNull().defaultTo(0)),
  ],
};
