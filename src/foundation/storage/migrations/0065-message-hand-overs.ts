import type { Migration } from '../migrate.ts';

const TENANT_COLUMNS = ['org_id', 'project_id', 'environment'] as const;

export const messageHandOvers: Migration = {
  number: 65,
  name: 'message-hand-overs',
  statements: (db) => [
    db.schema
      .createTable('message_hand_overs')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('our_number', 'text', (column) => column.notNull())
      .addColumn('external_id', 'text', (column) => column.notNull())
      .addColumn('agent_id', 'text')
      .addColumn('wanted', 'text')
      .addColumn('summary', 'text')
      .addColumn('message_id', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull()),
    db.schema
      .createIndex('message_hand_overs_once')
      .unique()
      .on('message_hand_overs')
      .columns([...TENANT_COLUMNS, 'our_number', 'external_id']),
    db.schema
      .createIndex('message_hand_overs_by_place')
      .on('message_hand_overs')
      .columns([...TENANT_COLUMNS, 'created_at', 'id']),
  ],
};
