import type { Migration } from '../migrate.ts';

/** The console session that a key lives by; null: a key of its own. */
export const sessionKeys: Migration = {
  number: 200,
  name: 'session-keys',
  statements: (db) => [
    db.schema.alterTable('api_keys').addColumn('session_id', 'text'),
    db.schema.createIndex('api_keys_of_session').on('api_keys').columns(['session_id']),
  ],
};
