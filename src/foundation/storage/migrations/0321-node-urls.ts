import type { Migration } from '../migrate.ts';

/** Other nodes reach a node at its address, to lead sockets to the one that has the call. */
export const nodeUrls: Migration = {
  number: 321,
  name: 'node-urls',
  statements: (db) => [db.schema.alterTable('nodes').addColumn('url', 'text')],
};
