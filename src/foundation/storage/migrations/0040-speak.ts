import type { Migration, MigrationBuilder } from '../migrate.ts';

const settings = (db: MigrationBuilder) =>
  db.schema
    .createTable('speak_settings')
    .addColumn('org_id', 'text', (column) => column.primaryKey())
    .addColumn('default_voice', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull());

const voices = (db: MigrationBuilder) =>
  db.schema
    .createTable('speak_voices')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('org_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('engine', 'text', (column) => column.notNull())
    .addColumn('meta', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull());

const designs = (db: MigrationBuilder) =>
  db.schema
    .createTable('speak_designs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('org_id', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('candidates', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull());

const requests = (db: MigrationBuilder) =>
  db.schema
    .createTable('speak_requests')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('org_id', 'text', (column) => column.notNull())
    .addColumn('voice_id', 'text', (column) => column.notNull())
    .addColumn('characters', 'bigint', (column) => column.notNull())
    .addColumn('milliseconds', 'bigint', (column) => column.notNull())
    .addColumn('complete', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull());

export const speak: Migration = {
  number: 40,
  name: 'speak',
  statements: (db) => [
    settings(db),
    voices(db),
    db.schema
      .createIndex('speak_voices_by_org')
      .on('speak_voices')
      .columns(['org_id', 'source', 'created_at']),
    designs(db),
    db.schema.createIndex('speak_designs_by_expiry').on('speak_designs').columns(['expires_at']),
    requests(db),
    db.schema.createIndex('speak_requests_by_org').on('speak_requests').columns(['org_id', 'created_at']),
  ],
};
