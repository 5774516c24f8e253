import type { Migration } from '../migrate.ts';

/** The number that a compliance case is about; null: it names none. */
export const caseNumbers: Migration = {
  number: 282,
  name: 'case-numbers',
  statements: (db) => [db.schema.alterTable('compliance_cases').addColumn('phone_number', 'text')],
};
