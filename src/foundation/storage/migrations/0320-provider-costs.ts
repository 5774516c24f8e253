import type { Migration } from '../migrate.ts';

export const providerCosts: Migration = {
  number: 320,
  name: 'provider-costs',
  statements: (db) => [
    db.schema
      .createTable('provider_costs')
      .addColumn('resource', 'text', (column) => column.notNull())
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('region', 'text')
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('requests', 'bigint', (column) => column.notNull())
      .addColumn('characters', 'bigint', (column) => column.notNull())
      .addColumn('sound_ms', 'bigint', (column) => column.notNull())
      .addColumn('failures', 'bigint', (column) => column.notNull())
      .addColumn('cost_micros', 'bigint', (column) => column.notNull())
      .addColumn('occurred_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('provider_costs_key', ['resource', 'provider', 'kind']),
    db.schema.createIndex('provider_costs_time').on('provider_costs').columns(['occurred_at']),
  ],
};
