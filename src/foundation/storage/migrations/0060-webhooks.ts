import type { Migration } from '../migrate.ts';

export const webhooks: Migration = {
  number: 60,
  name: 'webhooks',
  statements: (db) => [
    db.schema
      .createTable('webhook_secrets')
      .addColumn('org_id', 'text', (column) => column.primaryKey())
      .addColumn('secret', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('previous_secret', 'text')
      .addColumn('previous_until', 'bigint'),
    db.schema
      .createTable('webhook_events')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('idempotency_key', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull()),
    db.schema.createIndex('webhook_events_by_age').on('webhook_events').columns(['created_at']),
    db.schema
      .createTable('webhook_deliveries')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('event_id', 'text', (column) =>
        column.notNull().references('webhook_events.id').onDelete('cascade'),
      )
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('next_attempt_at', 'bigint')
      .addColumn('last_attempt_at', 'bigint')
      .addColumn('response_status', 'integer')
      .addColumn('error', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('delivered_at', 'bigint'),
    db.schema
      .createIndex('webhook_deliveries_by_org')
      .on('webhook_deliveries')
      .columns(['org_id', 'created_at', 'id']),
    db.schema.createIndex('webhook_deliveries_by_event').on('webhook_deliveries').columns(['event_id']),
  ],
};
