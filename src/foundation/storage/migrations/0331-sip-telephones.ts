import type { Migration } from '../migrate.ts';

const TENANT = ['org_id', 'project_id', 'environment'] as const;

export const sipTelephones: Migration = {
  number: 331,
  name: 'sip-telephones',
  statements: (db) => [
    db.schema
      .createTable('sip_telephones')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text')
      .addColumn('username', 'text', (column) => column.notNull())
      .addColumn('phone_number', 'text')
      .addColumn('secret', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull()),
    db.schema.createIndex('sip_telephones_by_username').unique().on('sip_telephones').column('username'),
    db.schema
      .createIndex('sip_telephones_by_number')
      .unique()
      .on('sip_telephones')
      .columns([...TENANT, 'phone_number']),
  ],
};
