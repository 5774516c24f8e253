import { type Migration, raw } from '../migrate.ts';

export const verifiedAddresses: Migration = {
  number: 16,
  name: 'verified-addresses',
  statements: (db) => [
    db.schema.alterTable('users').addColumn('email_verified_at', 'bigint'),
    raw(db, 'update users set email_verified_at = created_at'),
    db.schema
      .createTable('email_links')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('expires_at', 'bigint', (column) => column.notNull()),
  ],
};
