import type { Migration } from '../migrate.ts';

export const creators: Migration = {
  number: 292,
  name: 'creators',
  statements: (db) =>
    (['agents', 'destinations', 'knowledge_crawls'] as const).map((table) =>
      db.schema.alterTable(table).addColumn('created_by', 'text'),
    ),
};
