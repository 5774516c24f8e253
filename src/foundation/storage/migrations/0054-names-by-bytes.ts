import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** Both databases order tenants by bytes, so that a claim can skip a group of them. */
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
