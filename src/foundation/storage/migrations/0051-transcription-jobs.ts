import type { Migration } from '../migrate.ts';

export const transcriptionJobs: Migration = {
  number: 51,
  name: 'transcription-jobs',
  statements: (db) => [
    db.schema
      .createTable('transcription_jobs')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text')
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('request', 'text', (column) => column.notNull())
      .addColumn('audio_url', 'text')
      .addColumn('webhook_url', 'text')
      .addColumn('idempotency_key', 'text')
      .addColumn('max_bytes', 'bigint', (column) => column.notNull())
      .addColumn('max_seconds', 'bigint', (column) => column.notNull())
      .addColumn('language', 'text')
      .addColumn('duration_ms', 'bigint')
      .addColumn('progress', 'integer', (column) => column.notNull())
      .addColumn('pii_count', 'integer')
      .addColumn('error', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('started_at', 'bigint')
      .addColumn('completed_at', 'bigint')
      .addColumn('audio_removed_at', 'bigint'),
    db.schema
      .createIndex('transcription_jobs_by_org')
      .on('transcription_jobs')
      .columns(['org_id', 'created_at', 'id']),
    db.schema
      .createIndex('transcription_jobs_by_age')
      .on('transcription_jobs')
      .columns(['completed_at', 'audio_removed_at']),
    db.schema
      .createTable('transcription_segments')
      .addColumn('job_id', 'text', (column) =>
        column.notNull().references('transcription_jobs.id').onDelete('cascade'),
      )
      .addColumn('channel', 'integer', (column) => column.notNull())
      .addColumn('sequence', 'integer', (column) => column.notNull())
      .addColumn('start_ms', 'bigint', (column) => column.notNull())
      .addColumn('end_ms', 'bigint', (column) => column.notNull())
      .addColumn('document', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('transcription_segments_key', ['job_id', 'channel', 'sequence']),
    db.schema
      .createTable('transcription_results')
      .addColumn('job_id', 'text', (column) =>
        column.primaryKey().references('transcription_jobs.id').onDelete('cascade'),
      )
      .addColumn('document', 'text', (column) => column.notNull()),
    db.schema
      .createTable('idempotent_answers')
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('route', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('body_hash', 'text', (column) => column.notNull())
      .addColumn('answer', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('idempotent_answers_key', ['org_id', 'route', 'key']),
    db.schema.createIndex('idempotent_answers_by_age').on('idempotent_answers').columns(['expires_at']),
  ],
};
