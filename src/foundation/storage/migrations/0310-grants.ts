import type { Migration } from '../migrate.ts';

/** A grant is a token that is used any number of times while it lives; null: the token opens one session. */
export const grants: Migration = {
  number: 310,
  name: 'grants',
  statements: (db) => [db.schema.alterTable('browser_tokens').addColumn('is_grant', 'integer')],
};
