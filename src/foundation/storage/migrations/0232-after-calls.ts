import { type Migration, raw } from '../migrate.ts';

const COLUMNS = ['summary', 'summary_status', 'outcome', 'extraction', 'extraction_status'];

export const afterCalls: Migration = {
  number: 232,
  name: 'after-calls',
  statements: (db) => [
    ...COLUMNS.map((column) => db.schema.alterTable('omni_calls').addColumn(column, 'text')),
    raw(
      db,
      `update omni_calls set summary_status = 'not_requested', extraction_status = 'not_requested' where status != 'live'`,
    ),
  ],
};
