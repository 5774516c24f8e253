import type { Migration, MigrationBuilder } from '../migrate.ts';

const TENANT_COLUMNS = ['org_id', 'project_id', 'environment'] as const;

const table = (db: MigrationBuilder, name: string) =>
  db.schema
    .createTable(name)
    .addColumn('org_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull());

const packs = (db: MigrationBuilder) =>
  table(db, 'trace_packs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('pack_id', 'text', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('etag', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('spec', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('trace_packs_version', [...TENANT_COLUMNS, 'pack_id', 'version']);

const settings = (db: MigrationBuilder) =>
  table(db, 'trace_settings')
    .addColumn('agent_id', 'text', (column) => column.notNull())
    .addColumn('settings', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('trace_settings_key', [...TENANT_COLUMNS, 'agent_id']);

const interactions = (db: MigrationBuilder) =>
  table(db, 'trace_interactions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('source_kind', 'text', (column) => column.notNull())
    .addColumn('source_id', 'text')
    .addColumn('agent_id', 'text')
    .addColumn('agent_version', 'text')
    .addColumn('external_id', 'text')
    .addColumn('verdict', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('signature', 'text', (column) => column.notNull())
    .addColumn('packs', 'text', (column) => column.notNull())
    .addColumn('unjudged', 'text', (column) => column.notNull())
    .addColumn('document', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull());

const results = (db: MigrationBuilder) =>
  table(db, 'trace_results')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('interaction_id', 'text', (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('pack', 'text', (column) => column.notNull())
    .addColumn('pack_id', 'text', (column) => column.notNull())
    .addColumn('pack_version', 'text', (column) => column.notNull())
    .addColumn('rule_id', 'text', (column) => column.notNull())
    .addColumn('severity', 'text', (column) => column.notNull())
    .addColumn('agent_id', 'text')
    .addColumn('agent_version', 'text')
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('currency', 'text')
    .addColumn('least_micros', 'bigint', (column) => column.notNull())
    .addColumn('most_micros', 'bigint', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .addColumn('moves', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull());

const gate = (db: MigrationBuilder) => [
  table(db, 'trace_suppressions')
    .addColumn('phone_number', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('interaction_id', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('trace_suppressions_key', [...TENANT_COLUMNS, 'phone_number']),
  table(db, 'trace_consents')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('phone_number', 'text', (column) => column.notNull())
    .addColumn('basis', 'text', (column) => column.notNull())
    .addColumn('obtained_at', 'bigint', (column) => column.notNull())
    .addColumn('evidence', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull()),
  table(db, 'trace_attempts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('phone_number', 'text', (column) => column.notNull())
    .addColumn('agent_id', 'text')
    .addColumn('at', 'bigint', (column) => column.notNull()),
];

const index = (db: MigrationBuilder, name: string, of: string, columns: readonly string[]) =>
  db.schema
    .createIndex(name)
    .on(of)
    .columns([...TENANT_COLUMNS, ...columns]);

export const trace: Migration = {
  number: 130,
  name: 'trace',
  statements: (db) => [
    packs(db),
    settings(db),
    interactions(db),
    results(db),
    ...gate(db),
    index(db, 'trace_packs_by_reach', 'trace_packs', ['created_at', 'id']),
    index(db, 'trace_interactions_by_reach', 'trace_interactions', ['created_at', 'id']),
    index(db, 'trace_interactions_by_source', 'trace_interactions', ['source_id']),
    index(db, 'trace_results_by_reach', 'trace_results', ['outcome', 'created_at', 'id']),
    index(db, 'trace_results_by_interaction', 'trace_results', ['interaction_id']),
    index(db, 'trace_results_by_day', 'trace_results', ['day']),
    index(db, 'trace_suppressions_by_time', 'trace_suppressions', ['created_at']),
    index(db, 'trace_consents_by_number', 'trace_consents', ['phone_number', 'obtained_at']),
    index(db, 'trace_attempts_by_number', 'trace_attempts', ['phone_number', 'at']),
    db.schema.createIndex('trace_interactions_by_age').on('trace_interactions').columns(['created_at']),
  ],
};
