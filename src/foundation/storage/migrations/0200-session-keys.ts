import type { Migration } from '../migrate.ts';

export const sessionKeys: Migration = {
  number: 200,
  name: 'session-keys',
  statements: (db) => [
    db.schema.alterTable('api_keys').addColumn('session_id', 'text'),
    db.schema.createIndex('api_keys_of_session').on('api_keys').columns(['session_id']),
  ],
};
