import type { Migration } from '../migrate.ts';

export const traceWithheld: Migration = {
  number: 275,
  name: 'trace-withheld',
  statements: (db) => [
    db.schema.alterTable('omni_calls').addColumn('withheld', 'text'),
    db.schema.alterTable('trace_consents').addColumn('revoked_at', 'bigint'),
    db.schema
      .createIndex('trace_consents_by_time')
      .on('trace_consents')
      .columns(['org_id', 'project_id', 'environment', 'created_at', 'id']),
  ],
};
