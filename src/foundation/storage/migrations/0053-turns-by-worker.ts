import type { Migration } from '../migrate.ts';

/** Whose turn it is between tenants is kept by each worker. */
export const turnsByWorker: Migration = {
  number: 53,
  name: 'turns-by-worker',
  statements: (db) => [db.schema.dropTable('job_turns')],
};
