import type { Migration } from '../migrate.ts';

/** When a person last replied to whether they may be called, as the provider dates it: an older reply that comes later counts no more. */
export const msgappReplies: Migration = {
  number: 211,
  name: 'msgapp-replies',
  statements: (db) => [
    db.schema
      .alterTable('msgapp_permissions')
      .addColumn('replied_at', 'bigint', (column) => column.notNull().defaultTo(0)),
  ],
};
