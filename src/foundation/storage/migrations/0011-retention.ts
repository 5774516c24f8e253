import type { Migration } from '../migrate.ts';

export const retention: Migration = {
  number: 11,
  name: 'retention',
  statements: (db) => [
    db.schema
      .createTable('retention')
      .addColumn('org_id', 'text', (column) => column.primaryKey().references('organizations.id'))
      .addColumn('job_audio_days', 'integer')
      .addColumn('transcript_days', 'integer'),
  ],
};
