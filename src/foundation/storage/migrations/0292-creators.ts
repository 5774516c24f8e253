import type { Migration } from '../migrate.ts';

/** The key or the person who made a resource, as JSON `{kind, id}`; rows of before have null. */
export const creators: Migration = {
  number: 292,
  name: 'creators',
  statements: (db) =>
    (['agents', 'destinations', 'knowledge_crawls'] as const).map((table) =>
      db.schema.alterTable(table).addColumn('created_by', 'text'),
    ),
};
