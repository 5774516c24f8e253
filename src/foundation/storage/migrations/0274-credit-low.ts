import type { Migration } from '../migrate.ts';

export const creditLow: Migration = {
  number: 274,
  name: 'credit-low',
  statements: (db) => [db.schema.alterTable('organizations').addColumn('credit_low_at', 'bigint')],
};
