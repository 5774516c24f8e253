import { type Migration, type MigrationBuilder, raw } from '../migrate.ts';

const entries = (db: MigrationBuilder) =>
  db.schema
    .createTable('audit_entries')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('org_id', 'text', (column) => column.notNull())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('project_id', 'text')
    .addColumn('environment', 'text')
    .addColumn('actor_kind', 'text', (column) => column.notNull())
    .addColumn('actor_id', 'text', (column) => column.notNull())
    .addColumn('source', 'text')
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .addColumn('request_id', 'text')
    .addColumn('hash', 'text', (column) => column.notNull())
    .addUniqueConstraint('audit_entries_chain', ['org_id', 'sequence']);

const REFUSED = 'the audit log is append-only';

const refuseOnSqlite = (event: 'update' | 'delete') =>
  `create trigger audit_entries_no_${event} before ${event} on audit_entries begin select raise(abort, '${REFUSED}'); end`;

const ON_POSTGRES = [
  `create function audit_entries_stand() returns trigger language plpgsql as $$ begin raise exception '${REFUSED}'; end $$`,
  `create trigger audit_entries_stand before update or delete or truncate on audit_entries for each statement execute function audit_entries_stand()`,
];

export const audit: Migration = {
  number: 13,
  name: 'audit',
  statements: (db, dialect) => [
    db.schema
      .createTable('audit_heads')
      .addColumn('org_id', 'text', (column) => column.primaryKey())
      .addColumn('sequence', 'bigint', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull()),
    entries(db),
    db.schema.createIndex('audit_entries_by_age').on('audit_entries').columns(['org_id', 'at']),
    ...(dialect === 'postgres' ? ON_POSTGRES : [refuseOnSqlite('update'), refuseOnSqlite('delete')]).map(
      (text) => raw(db, text),
    ),
  ],
};
