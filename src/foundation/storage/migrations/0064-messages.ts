import type { Migration, MigrationBuilder } from '../migrate.ts';

const TENANT_COLUMNS = ['org_id', 'project_id', 'environment'] as const;

const bordered = (db: MigrationBuilder, table: string) =>
  TENANT_COLUMNS.reduce(
    (create, name) => create.addColumn(name, 'text', (column) => column.notNull()),
    db.schema.createTable(table),
  );

export const messages: Migration = {
  number: 64,
  name: 'messages',
  statements: (db) => [
    bordered(db, 'messages')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('direction', 'text', (column) => column.notNull())
      .addColumn('from_number', 'text', (column) => column.notNull())
      .addColumn('to_number', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('media_urls', 'text', (column) => column.notNull())
      .addColumn('campaign_id', 'text')
      .addColumn('external_id', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('failure_code', 'text')
      .addColumn('reference', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    db.schema
      .createIndex('messages_by_place')
      .on('messages')
      .columns([...TENANT_COLUMNS, 'created_at', 'id']),
    db.schema
      .createIndex('messages_by_person')
      .on('messages')
      .columns([...TENANT_COLUMNS, 'external_id', 'created_at']),
    db.schema.createIndex('messages_by_age').on('messages').columns(['org_id', 'created_at']),
    db.schema.createIndex('messages_once').unique().on('messages').columns(['reference']),
    db.schema
      .createTable('message_opt_outs')
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('our_number', 'text', (column) => column.notNull())
      .addColumn('their_number', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('message_opt_outs_key', [
        'org_id',
        'project_id',
        'environment',
        'our_number',
        'their_number',
      ] as never),
  ],
};
