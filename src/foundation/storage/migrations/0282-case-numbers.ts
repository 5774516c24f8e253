import type { Migration } from '../migrate.ts';

export const caseNumbers: Migration = {
  number: 282,
  name: 'case-numbers',
  statements: (db) => [db.schema.alterTable('compliance_cases').addColumn('phone_number', 'text')],
};
