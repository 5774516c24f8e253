import { sql } from 'kysely';
import type { Migration, MigrationBuilder } from '../migrate.ts';

/** Prices are list prices of a minute of audio by default, in micro-units (one millionth) of currency. */
const minutely = (meter: string, micros: number) => ({
  meter,
  from_month: '2000-01',
  unit: 'second',
  micros,
  per: 60,
  free_units: 0,
});

const PRICES = [
  minutely('hear', 1_000),
  minutely('hear_async', 500),
  minutely('speak', 40_000),
  minutely('omni', 50_000),
  minutely('agents_beta', 80_000),
  { meter: 'telephony', from_month: '2000-01', unit: 'call_minute', micros: 10_000, per: 1, free_units: 0 },
  { meter: 'amd', from_month: '2000-01', unit: 'call', micros: 4_000, per: 1, free_units: 5_000 },
];

const usageTables = (db: MigrationBuilder) => [
  db.schema
    .createTable('usage_events')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('meter', 'text', (column) => column.notNull())
    .addColumn('org_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text')
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('milliseconds', 'bigint', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .addColumn('bundled', 'integer', (column) => column.notNull())
    .addColumn('resource', 'text', (column) => column.notNull())
    .addColumn('occurred_at', 'bigint', (column) => column.notNull())
    .addColumn('recorded_at', 'bigint', (column) => column.notNull())
    .addColumn('period', 'text'),
  db.schema
    .createIndex('usage_events_waiting')
    .on('usage_events')
    .columns(['org_id', 'recorded_at'])
    .where(sql.ref('period'), 'is', null),
  db.schema
    .createTable('usage_totals')
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('period', 'text', (column) => column.notNull())
    .addColumn('meter', 'text', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('milliseconds', 'bigint', (column) => column.notNull())
    .addColumn('call_minutes', 'bigint', (column) => column.notNull())
    .addColumn('calls', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_totals_key', ['subject', 'period', 'meter', 'environment']),
  db.schema
    .createTable('usage_days')
    .addColumn('org_id', 'text', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('meter', 'text', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('milliseconds', 'bigint', (column) => column.notNull())
    .addColumn('call_minutes', 'bigint', (column) => column.notNull())
    .addColumn('calls', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_days_key', ['org_id', 'day', 'key_id', 'meter', 'environment']),
];

const billingTables = (db: MigrationBuilder) => [
  db.schema
    .createTable('prices')
    .addColumn('meter', 'text', (column) => column.notNull())
    .addColumn('from_month', 'text', (column) => column.notNull())
    .addColumn('unit', 'text', (column) => column.notNull())
    .addColumn('micros', 'bigint', (column) => column.notNull())
    .addColumn('per', 'bigint', (column) => column.notNull())
    .addColumn('free_units', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('prices_key', ['meter', 'from_month']),
  ...PRICES.map((price) => db.insertInto('prices').values(price)),
  db.schema
    .createTable('ledger_entries')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('org_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('amount_micros', 'bigint', (column) => column.notNull())
    .addColumn('reference', 'text', (column) => column.notNull())
    .addColumn('note', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('ledger_entries_reference', ['org_id', 'reference']),
  db.schema
    .createTable('invoices')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('org_id', 'text', (column) => column.notNull())
    .addColumn('period', 'text', (column) => column.notNull())
    .addColumn('amount_micros', 'bigint', (column) => column.notNull())
    .addColumn('lines', 'text', (column) => column.notNull())
    .addColumn('issued_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('invoices_period', ['org_id', 'period']),
];

export const billing: Migration = {
  number: 20,
  name: 'billing',
  statements: (db) => [...usageTables(db), ...billingTables(db)],
};
