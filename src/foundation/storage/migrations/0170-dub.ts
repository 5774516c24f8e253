import type { Migration, MigrationBuilder } from '../migrate.ts';

const table = (db: MigrationBuilder, name: string) =>
  db.schema
    .createTable(name)
    .addColumn('org_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull());

const jobs = (db: MigrationBuilder) =>
  table(db, 'dub_jobs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('key_id', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('audio_url', 'text')
    .addColumn('idempotency_key', 'text')
    .addColumn('external_id', 'text')
    .addColumn('max_bytes', 'bigint', (column) => column.notNull())
    .addColumn('max_seconds', 'bigint', (column) => column.notNull())
    .addColumn('media', 'text')
    .addColumn('speakers', 'text')
    .addColumn('duration_ms', 'bigint')
    .addColumn('progress', 'integer', (column) => column.notNull())
    .addColumn('revision', 'integer', (column) => column.notNull())
    .addColumn('output', 'text')
    .addColumn('error', 'text')
    .addColumn('error_code', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('completed_at', 'bigint')
    .addColumn('audio_removed_at', 'bigint');

const ofJob = 'dub_jobs.id';

const segments = (db: MigrationBuilder) =>
  table(db, 'dub_segments')
    .addColumn('job_id', 'text', (column) => column.notNull().references(ofJob).onDelete('cascade'))
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('speaker', 'text', (column) => column.notNull())
    .addColumn('start_ms', 'bigint', (column) => column.notNull())
    .addColumn('end_ms', 'bigint', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('text_edited', 'integer', (column) => column.notNull())
    .addColumn('words', 'text', (column) => column.notNull())
    .addColumn('translation', 'text')
    .addColumn('translated_by', 'text')
    .addColumn('voice', 'text')
    .addColumn('spoken', 'text')
    .addPrimaryKeyConstraint('dub_segments_key', ['job_id', 'number']);

export const dub: Migration = {
  number: 170,
  name: 'dub',
  statements: (db) => [
    jobs(db),
    db.schema
      .createIndex('dub_jobs_by_reach')
      .on('dub_jobs')
      .columns(['org_id', 'project_id', 'environment', 'created_at', 'id']),
    db.schema.createIndex('dub_jobs_by_age').on('dub_jobs').columns(['completed_at', 'audio_removed_at']),
    db.schema
      .createTable('dub_stretches')
      .addColumn('job_id', 'text', (column) => column.notNull().references(ofJob).onDelete('cascade'))
      .addColumn('sequence', 'integer', (column) => column.notNull())
      .addColumn('end_ms', 'bigint', (column) => column.notNull())
      .addColumn('document', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('dub_stretches_key', ['job_id', 'sequence']),
    segments(db),
  ],
};
