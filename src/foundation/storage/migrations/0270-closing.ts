import type { Migration } from '../migrate.ts';

export const closing: Migration = {
  number: 270,
  name: 'closing',
  statements: (db) => [
    db.schema
      .createTable('password_resets')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('user_id', 'text', (column) =>
        column.notNull().unique().references('users.id').onDelete('cascade'),
      )
      .addColumn('expires_at', 'bigint', (column) => column.notNull()),
    db.schema.alterTable('projects').addColumn('deleted_at', 'bigint'),
  ],
};
