import type { Migration } from '../migrate.ts';

export const turnsByWorker: Migration = {
  number: 53,
  name: 'turns-by-worker',
  statements: (db) => [db.schema.dropTable('job_turns')],
};
