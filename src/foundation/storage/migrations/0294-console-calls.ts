import type { Migration } from '../migrate.ts';

export const consoleCalls: Migration = {
  number: 294,
  name: 'console-calls',
  statements: (db) => [db.schema.alterTable('omni_calls').addColumn('use', 'text')],
};
