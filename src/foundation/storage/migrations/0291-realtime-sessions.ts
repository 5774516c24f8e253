import type { Migration } from '../migrate.ts';

export const realtimeSessions: Migration = {
  number: 291,
  name: 'realtime-sessions',
  statements: (db) => [db.schema.alterTable('browser_tokens').addColumn('session', 'text')],
};
