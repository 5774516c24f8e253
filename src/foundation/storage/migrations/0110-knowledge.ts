import { type CreateTableBuilder, sql } from 'kysely';
import { type Dialect, type Migration, type MigrationBuilder, raw } from '../migrate.ts';

const TENANT_COLUMNS = ['org_id', 'project_id', 'environment'] as const;

// biome-ignore lint/suspicious/noExplicitAny: the builder's own types grow with each column.
type Table = CreateTableBuilder<any, any>;

const placed = (table: Table): Table =>
  TENANT_COLUMNS.reduce((so: Table, name) => so.addColumn(name, 'text', (column) => column.notNull()), table);

const columns = (table: Table, kind: 'text' | 'bigint' | 'integer', names: string, optional = false): Table =>
  names
    .split(' ')
    .reduce(
      (so: Table, name) => so.addColumn(name, kind, (column) => (optional ? column : column.notNull())),
      table,
    );

const identified = (db: MigrationBuilder, name: string): Table =>
  placed(db.schema.createTable(name).addColumn('id', 'text', (column) => column.primaryKey()));

function bases(db: MigrationBuilder): Table {
  const table = columns(identified(db, 'knowledge_bases'), 'text', 'name language');
  return columns(columns(table, 'text', 'description', true), 'bigint', 'revision created_at updated_at');
}

function documents(db: MigrationBuilder): Table {
  let table = identified(db, 'knowledge_documents');
  table = columns(table, 'text', 'base_id source title media_type status');
  table = columns(table, 'integer', 'title_given chunks');
  table = columns(table, 'bigint', 'bytes characters generation created_at updated_at');
  table = columns(table, 'text', 'file_name url error etag last_modified content_hash crawl_id', true);
  return columns(table, 'bigint', 'refresh_hours fetched_at indexed_at', true);
}

function chunks(db: MigrationBuilder, dialect: Dialect): Table {
  const numbered = db.schema
    .createTable('knowledge_chunks')
    .addColumn('number', dialect === 'sqlite' ? 'integer' : 'bigserial', (column) =>
      dialect === 'sqlite' ? column.primaryKey().autoIncrement() : column.primaryKey(),
    );
  let table = columns(placed(numbered), 'text', 'base_id document_id heading text');
  table = columns(table, 'integer', 'ordinal span_start span_end');
  table = columns(table, 'integer', 'page', true);
  table = table.addColumn('vector', dialect === 'sqlite' ? 'blob' : 'bytea');
  return dialect === 'sqlite' ? table : table.addColumn('terms', sql`tsvector`);
}

/** The terms are ASCII stems, so that one tokenizer serves all languages. */
const words = (db: MigrationBuilder, dialect: Dialect) =>
  dialect === 'sqlite'
    ? [
        raw(
          db,
          `create virtual table knowledge_words using fts5(base, heading, body, tokenize = 'ascii', detail = full)`,
        ),
        raw(db, `insert into knowledge_words (knowledge_words, rank) values ('secure-delete', 1)`),
      ]
    : [raw(db, 'create index knowledge_chunks_terms on knowledge_chunks using gin (terms)')];

const terms = (db: MigrationBuilder): Table =>
  columns(placed(db.schema.createTable('knowledge_terms')), 'text', 'base_id document_id term sound');

function crawls(db: MigrationBuilder): Table {
  let table = columns(identified(db, 'knowledge_crawls'), 'text', 'base_id url include exclude status');
  table = columns(table, 'text', 'error', true);
  table = columns(table, 'bigint', 'refresh_hours', true);
  return columns(table, 'bigint', 'max_pages discovered registered created_at updated_at');
}

const settings = (db: MigrationBuilder): Table =>
  columns(
    columns(placed(db.schema.createTable('knowledge_settings')), 'text', 'default_bases'),
    'bigint',
    'updated_at',
  ).addPrimaryKeyConstraint('knowledge_settings_key', [...TENANT_COLUMNS]);

function gaps(db: MigrationBuilder): Table {
  const table = columns(identified(db, 'knowledge_gaps'), 'text', 'base_id question language call_id');
  return columns(columns(table, 'text', 'external_id', true), 'bigint', 'created_at');
}

const index = (db: MigrationBuilder, name: string, table: string, on: readonly string[]) =>
  db.schema
    .createIndex(name)
    .on(table)
    .columns([...on]);

export const knowledge: Migration = {
  number: 110,
  name: 'knowledge',
  statements: (db, dialect) => [
    bases(db),
    documents(db),
    chunks(db, dialect),
    ...words(db, dialect),
    terms(db),
    crawls(db),
    settings(db),
    gaps(db),
    index(db, 'knowledge_bases_by_place', 'knowledge_bases', [...TENANT_COLUMNS, 'created_at', 'id']),
    index(db, 'knowledge_documents_by_base', 'knowledge_documents', ['base_id', 'created_at', 'id']),
    index(db, 'knowledge_documents_by_url', 'knowledge_documents', ['base_id', 'url']),
    index(db, 'knowledge_documents_by_crawl', 'knowledge_documents', ['crawl_id']),
    index(db, 'knowledge_chunks_by_document', 'knowledge_chunks', ['document_id', 'ordinal']),
    index(db, 'knowledge_chunks_by_base', 'knowledge_chunks', ['base_id']),
    index(db, 'knowledge_terms_by_base', 'knowledge_terms', ['base_id']),
    index(db, 'knowledge_terms_by_document', 'knowledge_terms', ['document_id']),
    index(db, 'knowledge_crawls_by_base', 'knowledge_crawls', ['base_id', 'created_at', 'id']),
    index(db, 'knowledge_gaps_by_base', 'knowledge_gaps', ['base_id', 'created_at', 'id']),
    index(db, 'knowledge_gaps_by_age', 'knowledge_gaps', ['org_id', 'created_at']),
  ],
};
