import type { Migration } from '../migrate.ts';

export const callTools: Migration = {
  number: 238,
  name: 'call-tools',
  statements: (db) => [db.schema.alterTable('omni_calls').addColumn('tools', 'text')],
};
