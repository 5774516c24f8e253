import type { Migration } from '../migrate.ts';

export const agentTests: Migration = {
  number: 121,
  name: 'agent-tests',
  statements: (db) => [
    db.schema.alterTable('agents').addColumn('required_suite', 'text'),
    db.schema
      .createTable('agent_test_runs')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('agent_id', 'text', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('suite', 'text', (column) => column.notNull())
      .addColumn('scenarios', 'integer', (column) => column.notNull())
      .addColumn('failed', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull()),
    db.schema
      .createIndex('agent_test_runs_by_agent')
      .on('agent_test_runs')
      .columns(['org_id', 'project_id', 'environment', 'agent_id', 'created_at', 'id']),
  ],
};
