import type { Migration, MigrationBuilder } from '../migrate.ts';

const roles = (db: MigrationBuilder) => [
  db.schema.alterTable('users').addColumn('role', 'text', (column) => column.notNull().defaultTo('owner')),
  db.schema.alterTable('users').addColumn('oidc_subject', 'text'),
  db.schema.createIndex('users_oidc_subject').on('users').column('oidc_subject').unique(),
  db.schema.createIndex('users_org').on('users').column('org_id'),
];

const memberships = (db: MigrationBuilder) => [
  db.schema
    .createTable('project_members')
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('project_members_key', ['project_id', 'user_id']),
  db.schema.createIndex('project_members_user').on('project_members').column('user_id'),
  db.schema
    .createTable('invitations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('org_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('project_ids', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('invited_by', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull()),
  db.schema.createIndex('invitations_org').on('invitations').column('org_id'),
  db.schema.createIndex('invitations_email').on('invitations').column('email'),
];

export const people: Migration = {
  number: 12,
  name: 'people',
  statements: (db) => [
    ...roles(db),
    ...memberships(db),
    db.schema
      .createTable('oidc_attempts')
      .addColumn('state', 'text', (column) => column.primaryKey())
      .addColumn('nonce', 'text', (column) => column.notNull())
      .addColumn('verifier', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull()),
    db.schema.alterTable('console_sessions').addColumn('source', 'text'),
    db.schema.alterTable('console_sessions').addColumn('agent', 'text'),
    db.schema.alterTable('browser_tokens').addColumn('configurable', 'text'),
  ],
};
