import type { Migration } from '../migrate.ts';

export const privacy: Migration = {
  number: 14,
  name: 'privacy',
  statements: (db) => [
    db.schema.alterTable('oidc_attempts').addColumn('user_id', 'text'),
    db.schema
      .createTable('legal_holds')
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('record', 'text', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('placed_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('legal_holds_key', ['record', 'org_id', 'project_id', 'environment']),
    db.schema
      .createTable('erasures')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('salt', 'text', (column) => column.notNull())
      .addColumn('person', 'text', (column) => column.notNull())
      .addColumn('counts', 'text', (column) => column.notNull())
      .addColumn('sha256', 'text', (column) => column.notNull())
      .addColumn('erased_at', 'bigint', (column) => column.notNull()),
  ],
};
