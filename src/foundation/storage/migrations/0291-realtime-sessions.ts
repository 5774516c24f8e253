import type { Migration } from '../migrate.ts';

/** The maker of a browser token fixes settings of the session that the token opens; null where none are fixed. */
export const realtimeSessions: Migration = {
  number: 291,
  name: 'realtime-sessions',
  statements: (db) => [db.schema.alterTable('browser_tokens').addColumn('session', 'text')],
};
