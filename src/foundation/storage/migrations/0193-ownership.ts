import { type Migration, type MigrationBuilder, raw } from '../migrate.ts';

/**
 * Copies grants from columns of the organization. The columns stay, because nodes of the previous version read them
 * until they are upgraded.
 */
const moved = (db: MigrationBuilder, column: string, name: string) =>
  raw(
    db,
    `insert into organization_entitlements (org_id, name, granted_at)
     select id, '${name}', created_at from organizations where ${column} = 1`,
  );

export const ownership: Migration = {
  number: 193,
  name: 'ownership',
  statements: (db) => [
    db.schema
      .createTable('organization_entitlements')
      .addColumn('org_id', 'text', (column) => column.notNull().references('organizations.id'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('granted_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('organization_entitlements_key', ['org_id', 'name']),
    moved(db, 'trace_entitled', 'trace'),
    moved(db, 'calls_entitled', 'call_integrations'),
    db.schema
      .alterTable('plans')
      .addColumn('numbers_max', 'integer', (column) => column.notNull().defaultTo(5)),
    db.schema.alterTable('telephony_campaigns').addColumn('paused_reason', 'text'),
  ],
};
