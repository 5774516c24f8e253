import type { Migration } from '../migrate.ts';

export const callCheckpoints: Migration = {
  number: 311,
  name: 'call-checkpoints',
  statements: (db) => [
    db.schema
      .createTable('call_checkpoints')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('call_id', 'text', (column) => column.notNull())
      .addColumn('token_hash', 'text', (column) => column.notNull())
      .addColumn('node_id', 'text', (column) => column.notNull())
      .addColumn('fence', 'bigint', (column) => column.notNull())
      .addColumn('resume_by', 'bigint')
      .addColumn('state', 'text')
      .addColumn('written_at', 'bigint', (column) => column.notNull()),
    db.schema.createIndex('call_checkpoints_token').unique().on('call_checkpoints').column('token_hash'),
  ],
};
