import { type Migration, type MigrationBuilder, raw } from '../migrate.ts';

const sums = (db: MigrationBuilder) =>
  db.schema
    .createTable('usage_days_new')
    .addColumn('org_id', 'text', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('meter', 'text', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('milliseconds', 'bigint', (column) => column.notNull())
    .addColumn('call_minutes', 'bigint', (column) => column.notNull())
    .addColumn('calls', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_days_by_project', [
      'org_id',
      'day',
      'project_id',
      'key_id',
      'meter',
      'environment',
    ]);

/**
 * Daily totals are kept for each project. An earlier total belongs to its key's project, or to the organization's
 * only project; otherwise it is empty.
 */
export const usageProjects: Migration = {
  number: 293,
  name: 'usage-projects',
  statements: (db) => [
    sums(db),
    raw(
      db,
      `insert into usage_days_new
         (org_id, day, project_id, key_id, meter, environment, milliseconds, call_minutes, calls)
       select d.org_id, d.day,
         coalesce(
           (select k.project_id from api_keys k where k.id = d.key_id),
           (select min(p.id) from projects p where p.org_id = d.org_id having count(*) = 1),
           ''),
         d.key_id, d.meter, d.environment, d.milliseconds, d.call_minutes, d.calls
       from usage_days d`,
    ),
    db.schema.dropTable('usage_days'),
    db.schema.alterTable('usage_days_new').renameTo('usage_days'),
  ],
};
