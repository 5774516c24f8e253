import type { Migration } from '../migrate.ts';

/** Finds the imported call of a transcription job. */
export const importedCallsByJob: Migration = {
  number: 237,
  name: 'imported-calls-by-job',
  statements: (db) => [
    db.schema.createIndex('imported_calls_by_job').on('imported_calls').columns(['job_id']),
  ],
};
