import type { CreateTableBuilder } from 'kysely';
import type { Migration, MigrationBuilder } from '../migrate.ts';

const TENANT_COLUMNS = ['org_id', 'project_id', 'environment'] as const;

// biome-ignore lint/suspicious/noExplicitAny: the builder's own types grow with each column.
type Table = CreateTableBuilder<any, any>;

const columns = (table: Table, kind: 'text' | 'bigint' | 'integer', names: string, optional = false): Table =>
  names
    .split(' ')
    .reduce(
      (so: Table, name) => so.addColumn(name, kind, (column) => (optional ? column : column.notNull())),
      table,
    );

const placed = (db: MigrationBuilder, name: string): Table =>
  columns(db.schema.createTable(name) as Table, 'text', TENANT_COLUMNS.join(' '));

const identified = (db: MigrationBuilder, name: string): Table =>
  placed(db, name).addColumn('id', 'text', (column) => column.primaryKey());

function cases(db: MigrationBuilder): Table {
  let table = identified(db, 'compliance_cases');
  table = columns(table, 'text', 'kind country number_type capabilities use_case state');
  table = columns(table, 'text', 'rules_snapshot network_status continuation_reason attestations network');
  table = columns(table, 'bigint', 'version created_at updated_at');
  table = columns(table, 'text', 'external_id terminal_reason', true);
  return columns(table, 'bigint', 'clock_ends_at ended_at retention_delete_at documents_removed_at', true);
}

function uploads(db: MigrationBuilder): Table {
  let table = identified(db, 'compliance_uploads');
  table = columns(table, 'text', 'case_id document_request_id file_name mime_type sha256 malware_status');
  table = columns(table, 'bigint', 'generation size_bytes uploaded_at');
  return columns(columns(table, 'text', 'malware_detail', true), 'bigint', 'removed_at', true);
}

function extractions(db: MigrationBuilder): Table {
  let table = identified(db, 'compliance_extractions');
  table = columns(table, 'text', 'case_id upload_id status');
  table = columns(table, 'bigint', 'attempts cost_micros');
  table = columns(table, 'text', 'failure_reason fields model_version', true);
  return columns(table, 'bigint', 'latency_ms started_at completed_at', true);
}

function corrections(db: MigrationBuilder): Table {
  let table = identified(db, 'compliance_corrections');
  table = columns(table, 'text', 'case_id extraction_id field reason actor_kind actor_id');
  return columns(columns(table, 'bigint', 'created_at'), 'text', 'sealed', true);
}

/** The primary key lets only one of two concurrent writers create a version. */
function events(db: MigrationBuilder): Table {
  let table = columns(placed(db, 'compliance_events'), 'text', 'case_id type actor_kind actor_id detail');
  table = columns(table, 'bigint', 'version at');
  table = columns(table, 'text', 'from_state to_state reason', true);
  return table.addPrimaryKeyConstraint('compliance_events_key', ['case_id', 'version']);
}

const index = (db: MigrationBuilder, name: string, table: string, on: readonly string[]) =>
  db.schema
    .createIndex(name)
    .on(table)
    .columns([...on]);

export const compliance: Migration = {
  number: 180,
  name: 'compliance',
  statements: (db) => [
    cases(db),
    uploads(db),
    extractions(db),
    corrections(db),
    events(db),
    db.schema.alterTable('retention').addColumn('compliance_days', 'integer'),
    index(db, 'compliance_cases_by_place', 'compliance_cases', [...TENANT_COLUMNS, 'created_at', 'id']),
    index(db, 'compliance_cases_by_person', 'compliance_cases', [...TENANT_COLUMNS, 'external_id']),
    index(db, 'compliance_cases_by_end', 'compliance_cases', ['documents_removed_at', 'retention_delete_at']),
    index(db, 'compliance_uploads_by_case', 'compliance_uploads', ['case_id', 'uploaded_at']),
    index(db, 'compliance_extractions_by_case', 'compliance_extractions', ['case_id']),
    index(db, 'compliance_corrections_by_case', 'compliance_corrections', ['case_id']),
  ],
};
