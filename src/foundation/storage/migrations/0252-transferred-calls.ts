import type { Migration } from '../migrate.ts';

export const transferredCalls: Migration = {
  number: 252,
  name: 'transferred-calls',
  statements: (db) => [
    db.schema.alterTable('telephony_calls').addColumn('transferred_at', 'bigint'),
    db.schema
      .createIndex('telephony_calls_transferred')
      .on('telephony_calls')
      .columns(['org_id', 'transferred_at']),
  ],
};
