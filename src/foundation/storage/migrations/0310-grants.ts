import type { Migration } from '../migrate.ts';

export const grants: Migration = {
  number: 310,
  name: 'grants',
  statements: (db) => [db.schema.alterTable('browser_tokens').addColumn('is_grant', 'integer')],
};
