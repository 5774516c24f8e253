import type { Migration } from '../migrate.ts';

/** It is the time of the low-credit notification; null again once credit is added. */
export const creditLow: Migration = {
  number: 274,
  name: 'credit-low',
  statements: (db) => [db.schema.alterTable('organizations').addColumn('credit_low_at', 'bigint')],
};
