import type { Migration } from '../migrate.ts';

export const callWords: Migration = {
  number: 233,
  name: 'call-words',
  statements: (db) => [db.schema.alterTable('omni_calls').addColumn('said', 'text')],
};
