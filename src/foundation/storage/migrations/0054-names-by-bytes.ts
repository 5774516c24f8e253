import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** Tenants are ordered by their bytes on both databases, so that a group of them can be passed over. */
export const namesByBytes: Migration = {
  number: 54,
  name: 'names-by-bytes',
  statements: (db, dialect) =>
    dialect === 'postgres'
      ? [
          db.schema
            .alterTable('jobs')
            .alterColumn('tenant', (column) => column.setDataType(sql`text collate "C"`)),
        ]
      : [],
};
