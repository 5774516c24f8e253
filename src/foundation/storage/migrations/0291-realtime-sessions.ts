import type { Migration } from '../migrate.ts';

/** What the maker of a browser token has settled of the session that the token opens; null: nothing. */
export const realtimeSessions: Migration = {
  number: 291,
  name: 'realtime-sessions',
  statements: (db) => [db.schema.alterTable('browser_tokens').addColumn('session', 'text')],
};
