import type { Migration, MigrationBuilder } from '../migrate.ts';

const TENANT_COLUMNS = ['org_id', 'project_id', 'environment'] as const;

const bordered = (db: MigrationBuilder, table: string) =>
  TENANT_COLUMNS.reduce(
    (create, name) => create.addColumn(name, 'text', (column) => column.notNull()),
    db.schema.createTable(table),
  );

export const agents: Migration = {
  number: 120,
  name: 'agents',
  statements: (db) => [
    bordered(db, 'agents')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('latest_version', 'integer', (column) => column.notNull())
      .addColumn('published_version', 'integer')
      .addColumn('traffic', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    db.schema
      .createIndex('agents_by_place')
      .on('agents')
      .columns([...TENANT_COLUMNS, 'created_at', 'id']),
    bordered(db, 'agent_versions')
      .addColumn('agent_id', 'text', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('fields', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('agent_versions_key', ['agent_id', 'version']),
    bordered(db, 'agent_tools')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('spec', 'text', (column) => column.notNull())
      .addColumn('headers', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    db.schema
      .createIndex('agent_tools_by_place')
      .on('agent_tools')
      .columns([...TENANT_COLUMNS, 'created_at', 'id']),
    bordered(db, 'agent_memories')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('agent_id', 'text', (column) => column.notNull())
      .addColumn('external_id', 'text', (column) => column.notNull())
      .addColumn('fact', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull()),
    db.schema
      .createIndex('agent_memories_by_person')
      .on('agent_memories')
      .columns([...TENANT_COLUMNS, 'external_id', 'agent_id', 'created_at']),
    db.schema.alterTable('omni_calls').addColumn('agent_id', 'text'),
    db.schema.alterTable('omni_calls').addColumn('agent_version', 'integer'),
    db.schema
      .createIndex('omni_calls_by_agent')
      .on('omni_calls')
      .columns([...TENANT_COLUMNS, 'agent_id', 'created_at']),
  ],
};
