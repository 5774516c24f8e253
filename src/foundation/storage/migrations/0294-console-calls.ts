import type { Migration } from '../migrate.ts';

/** What a call is billed as: calls from the console's agent builder have a meter of their own. */
export const consoleCalls: Migration = {
  number: 294,
  name: 'console-calls',
  statements: (db) => [db.schema.alterTable('omni_calls').addColumn('use', 'text')],
};
