import type { Migration, MigrationBuilder } from '../migrate.ts';

const TENANT_COLUMNS = ['org_id', 'project_id', 'environment'] as const;

const table = (db: MigrationBuilder, name: string) =>
  db.schema
    .createTable(name)
    .addColumn('org_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull());

export const cast: Migration = {
  number: 160,
  name: 'cast',
  statements: (db) => [
    table(db, 'cast_projects')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('title', 'text', (column) => column.notNull())
      .addColumn('language', 'text', (column) => column.notNull())
      .addColumn('speakers', 'text', (column) => column.notNull())
      .addColumn('pronunciations', 'text', (column) => column.notNull())
      .addColumn('warnings', 'text', (column) => column.notNull())
      .addColumn('external_id', 'text')
      .addColumn('lines', 'integer', (column) => column.notNull())
      .addColumn('revision', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    table(db, 'cast_lines')
      .addColumn('cast_id', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('ordinal', 'integer', (column) => column.notNull())
      .addColumn('speaker', 'text', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addColumn('voice', 'text')
      .addColumn('chapter', 'text')
      .addColumn('note', 'text')
      .addColumn('direction', 'text', (column) => column.notNull())
      .addColumn('directed_by', 'text')
      .addColumn('seed', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('cast_lines_key', ['cast_id', 'id']),
    table(db, 'cast_renders')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('cast_id', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text')
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('request', 'text', (column) => column.notNull())
      .addColumn('plan', 'text')
      .addColumn('result', 'text')
      .addColumn('gain_db', 'real')
      .addColumn('progress', 'integer', (column) => column.notNull())
      .addColumn('lines_total', 'integer', (column) => column.notNull())
      .addColumn('lines_done', 'integer', (column) => column.notNull())
      .addColumn('max_seconds', 'integer', (column) => column.notNull())
      .addColumn('duration_ms', 'bigint')
      .addColumn('billed_ms', 'bigint')
      .addColumn('error', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('started_at', 'bigint')
      .addColumn('completed_at', 'bigint')
      .addColumn('audio_removed_at', 'bigint'),
    table(db, 'cast_takes')
      .addColumn('cast_id', 'text', (column) => column.notNull())
      .addColumn('take', 'text', (column) => column.notNull())
      .addColumn('samples', 'bigint', (column) => column.notNull())
      .addColumn('billed', 'integer', (column) => column.notNull())
      .addColumn('used_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('cast_takes_key', ['cast_id', 'take']),
    db.schema
      .createIndex('cast_projects_by_reach')
      .on('cast_projects')
      .columns([...TENANT_COLUMNS, 'created_at', 'id']),
    db.schema
      .createIndex('cast_projects_by_person')
      .on('cast_projects')
      .columns([...TENANT_COLUMNS, 'external_id']),
    db.schema.createIndex('cast_lines_in_order').on('cast_lines').columns(['cast_id', 'ordinal']),
    db.schema.createIndex('cast_renders_by_cast').on('cast_renders').columns(['cast_id', 'created_at', 'id']),
    db.schema.createIndex('cast_renders_by_end').on('cast_renders').columns(['completed_at']),
    db.schema.createIndex('cast_takes_by_use').on('cast_takes').columns(['used_at']),
  ],
};
