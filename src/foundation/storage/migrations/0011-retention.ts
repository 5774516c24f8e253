import type { Migration } from '../migrate.ts';

/** How long an organization's data is kept, where that is not what everyone's is. */
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
