import type { Migration } from '../migrate.ts';

export const mailRecipients: Migration = {
  number: 250,
  name: 'mail-recipients',
  statements: (db) => [
    db.schema
      .createTable('mail_recipients')
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('email', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull().unique())
      .addColumn('asked_at', 'bigint', (column) => column.notNull())
      .addColumn('confirmed_at', 'bigint')
      .addColumn('declined_at', 'bigint')
      .addPrimaryKeyConstraint('mail_recipients_key', ['org_id', 'email']),
    db.schema
      .createTable('mail_counts')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('org_id', 'text')
      .addColumn('email', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull()),
    db.schema.createIndex('mail_counts_of_org').on('mail_counts').columns(['kind', 'org_id', 'at']),
    db.schema.createIndex('mail_counts_of_email').on('mail_counts').columns(['kind', 'email', 'at']),
    db.schema
      .createTable('oidc_arrivals')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('email', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull()),
  ],
};
