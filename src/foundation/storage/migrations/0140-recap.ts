import type { Migration, MigrationBuilder } from '../migrate.ts';

const TENANT_COLUMNS = ['org_id', 'project_id', 'environment'] as const;

const table = (db: MigrationBuilder, name: string) =>
  db.schema
    .createTable(name)
    .addColumn('org_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull());

export const recap: Migration = {
  number: 140,
  name: 'recap',
  statements: (db) => [
    table(db, 'recap_settings')
      .addColumn('config', 'text', (column) => column.notNull())
      .addColumn('crm', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('recap_settings_key', [...TENANT_COLUMNS]),
    table(db, 'recap_calls')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('source_kind', 'text', (column) => column.notNull())
      .addColumn('source_id', 'text', (column) => column.notNull())
      .addColumn('agent_id', 'text')
      .addColumn('agent_version', 'text')
      .addColumn('external_id', 'text')
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('document', 'text', (column) => column.notNull())
      .addColumn('conversation', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addUniqueConstraint('recap_calls_source', [...TENANT_COLUMNS, 'source_id']),
    table(db, 'recap_scorecards')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('criteria', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull()),
    table(db, 'recap_scores')
      .addColumn('recap_id', 'text', (column) => column.notNull())
      .addColumn('scorecard_id', 'text', (column) => column.notNull())
      .addColumn('criterion', 'text', (column) => column.notNull())
      .addColumn('value', 'real')
      .addColumn('agent_id', 'text')
      .addColumn('agent_version', 'text')
      .addColumn('day', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('recap_scores_key', ['recap_id', 'scorecard_id', 'criterion']),
    db.schema
      .createIndex('recap_calls_by_reach')
      .on('recap_calls')
      .columns([...TENANT_COLUMNS, 'created_at', 'id']),
    db.schema
      .createIndex('recap_scores_by_day')
      .on('recap_scores')
      .columns([...TENANT_COLUMNS, 'scorecard_id', 'day']),
  ],
};
