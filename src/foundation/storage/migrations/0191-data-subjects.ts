import type { Migration } from '../migrate.ts';

/** Jobs and events store the customer's id of a data subject, so that one person's records can be found. */
export const dataSubjects: Migration = {
  number: 191,
  name: 'persons',
  statements: (db) => [
    db.schema.alterTable('transcription_jobs').addColumn('external_id', 'text'),
    db.schema
      .createIndex('transcription_jobs_by_person')
      .on('transcription_jobs')
      .columns(['org_id', 'project_id', 'environment', 'external_id']),
    db.schema
      .createIndex('omni_calls_by_person')
      .on('omni_calls')
      .columns(['org_id', 'project_id', 'environment', 'external_id']),
    db.schema.alterTable('webhook_events').addColumn('resource', 'text'),
    db.schema.createIndex('webhook_events_by_resource').on('webhook_events').columns(['org_id', 'resource']),
  ],
};
