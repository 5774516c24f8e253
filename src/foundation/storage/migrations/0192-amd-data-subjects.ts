import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

const TENANT_COLUMNS = ['org_id', 'project_id', 'environment'] as const;

export const amdDataSubjects: Migration = {
  number: 192,
  name: 'amd-persons',
  statements: (db) => [
    db.schema.alterTable('amd_calls').addColumn('external_id', 'text'),
    db.schema.alterTable('amd_calls').addColumn('words_removed_at', 'bigint'),
    db.schema
      .createIndex('amd_calls_by_person')
      .on('amd_calls')
      .columns([...TENANT_COLUMNS, 'external_id']),
    db.schema
      .createIndex('amd_calls_with_words')
      .on('amd_calls')
      .columns(['org_id', 'created_at'])
      .where(sql.ref('words_removed_at'), 'is', null),
  ],
};
