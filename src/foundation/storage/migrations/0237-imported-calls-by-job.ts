import type { Migration } from '../migrate.ts';

export const importedCallsByJob: Migration = {
  number: 237,
  name: 'imported-calls-by-job',
  statements: (db) => [
    db.schema.createIndex('imported_calls_by_job').on('imported_calls').columns(['job_id']),
  ],
};
