import type { Migration } from '../migrate.ts';

/** The tools that a call called. */
export const callTools: Migration = {
  number: 238,
  name: 'call-tools',
  statements: (db) => [db.schema.alterTable('omni_calls').addColumn('tools', 'text')],
};
