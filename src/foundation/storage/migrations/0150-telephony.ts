import type { CreateTableBuilder } from 'kysely';
import type { Migration, MigrationBuilder } from '../migrate.ts';

const TENANT_COLUMNS = ['org_id', 'project_id', 'environment'] as const;

const owned = <T extends string, C extends string>(table: CreateTableBuilder<T, C>) =>
  table
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('org_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text');

const numbers = (db: MigrationBuilder) =>
  owned(db.schema.createTable('telephony_numbers'))
    .addColumn('carrier', 'text', (column) => column.notNull())
    .addColumn('phone_number', 'text', (column) => column.notNull())
    .addColumn('claimed', 'text')
    .addColumn('reference', 'text', (column) => column.notNull())
    .addColumn('country', 'text', (column) => column.notNull())
    .addColumn('number_type', 'text', (column) => column.notNull())
    .addColumn('capabilities', 'text', (column) => column.notNull())
    .addColumn('agent_id', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('settings', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('released_at', 'bigint')
    .addColumn('quarantined_until', 'bigint');

const calls = (db: MigrationBuilder) =>
  owned(db.schema.createTable('telephony_calls'))
    .addColumn('carrier', 'text', (column) => column.notNull())
    .addColumn('direction', 'text', (column) => column.notNull())
    .addColumn('from_number', 'text', (column) => column.notNull())
    .addColumn('to_number', 'text', (column) => column.notNull())
    .addColumn('number_id', 'text')
    .addColumn('agent_id', 'text')
    .addColumn('campaign_id', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('end_reason', 'text')
    .addColumn('end_detail', 'text')
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('answered_by', 'text')
    .addColumn('omni_call_id', 'text')
    .addColumn('reference', 'text')
    .addColumn('scheduled_at', 'bigint')
    .addColumn('dialed_at', 'bigint')
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('answered_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('duration_ms', 'bigint', (column) => column.notNull())
    .addColumn('billed_minutes', 'integer', (column) => column.notNull())
    .addColumn('quality', 'text', (column) => column.notNull());

const campaigns = (db: MigrationBuilder) =>
  owned(db.schema.createTable('telephony_campaigns'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('from_number', 'text', (column) => column.notNull())
    .addColumn('agent_id', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('plan', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('ended_at', 'bigint');

const targets = (db: MigrationBuilder) =>
  owned(db.schema.createTable('telephony_targets'))
    .addColumn('campaign_id', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('to_number', 'text', (column) => column.notNull())
    .addColumn('variables', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('next_at', 'bigint', (column) => column.notNull())
    .addColumn('outcome', 'text')
    .addColumn('call_id', 'text');

const index = (db: MigrationBuilder, name: string, table: string, columns: readonly string[]) =>
  db.schema
    .createIndex(name)
    .on(table)
    .columns([...columns]);

export const telephony: Migration = {
  number: 150,
  name: 'telephony',
  statements: (db) => [
    numbers(db),
    calls(db),
    campaigns(db),
    targets(db),
    db.schema
      .createIndex('telephony_numbers_claimed')
      .unique()
      .on('telephony_numbers')
      .columns(['carrier', 'claimed']),
    index(db, 'telephony_numbers_by_reach', 'telephony_numbers', [...TENANT_COLUMNS, 'created_at', 'id']),
    index(db, 'telephony_calls_by_reach', 'telephony_calls', [...TENANT_COLUMNS, 'created_at', 'id']),
    index(db, 'telephony_calls_live', 'telephony_calls', ['state', 'seen_at']),
    index(db, 'telephony_calls_dialed', 'telephony_calls', ['org_id', 'dialed_at']),
    index(db, 'telephony_campaigns_by_reach', 'telephony_campaigns', [...TENANT_COLUMNS, 'created_at', 'id']),
    index(db, 'telephony_targets_due', 'telephony_targets', ['campaign_id', 'state', 'next_at', 'position']),
  ],
};
