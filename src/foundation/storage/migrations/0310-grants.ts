import type { Migration } from '../migrate.ts';

/** A grant can be used any number of times until it expires; with null the token opens one session. */
export const grants: Migration = {
  number: 310,
  name: 'grants',
  statements: (db) => [db.schema.alterTable('browser_tokens').addColumn('is_grant', 'integer')],
};
