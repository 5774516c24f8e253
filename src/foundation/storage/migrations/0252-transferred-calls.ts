import type { Migration } from '../migrate.ts';

/** A call that its carrier connects with somebody else counts as one that is dialed. */
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
