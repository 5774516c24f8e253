import type { Migration } from '../migrate.ts';

/** Each call names its meter: calls from the console's agent builder have a meter of their own. */
export const consoleCalls: Migration = {
  number: 294,
  name: 'console-calls',
  statements: (db) => [db.schema.alterTable('omni_calls').addColumn('use', 'text')],
};
