import type { Migration } from '../migrate.ts';

const TENANT_COLUMNS = ['org_id', 'project_id', 'environment'] as const;

export const voicemails: Migration = {
  number: 234,
  name: 'voicemails',
  statements: (db) => [
    db.schema
      .createTable('telephony_voicemails')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text')
      .addColumn('number_id', 'text')
      .addColumn('call_id', 'text', (column) => column.notNull())
      .addColumn('from_number', 'text', (column) => column.notNull())
      .addColumn('to_number', 'text', (column) => column.notNull())
      .addColumn('job_id', 'text')
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('error', 'text')
      .addColumn('duration_ms', 'bigint', (column) => column.notNull())
      .addColumn('bytes', 'bigint')
      .addColumn('transcript', 'text')
      .addColumn('webhook_url', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('completed_at', 'bigint'),
    db.schema
      .createIndex('telephony_voicemails_by_reach')
      .on('telephony_voicemails')
      .columns([...TENANT_COLUMNS, 'created_at', 'id']),
    db.schema
      .createIndex('telephony_voicemails_by_person')
      .on('telephony_voicemails')
      .columns([...TENANT_COLUMNS, 'from_number']),
    db.schema
      .createIndex('telephony_voicemails_kept')
      .on('telephony_voicemails')
      .columns(['org_id', 'created_at']),
    db.schema.createIndex('telephony_voicemails_by_job').on('telephony_voicemails').columns(['job_id']),
  ],
};
