import { type Migration, type MigrationBuilder, raw } from '../migrate.ts';

const FIRST_PROJECT = (table: string) =>
  `coalesce((select p.id from projects p where p.org_id = ${table}.org_id order by p.created_at, p.id limit 1), '')`;

/** Rows of an organization with a live key belong to `live`, because its live calls use them. */
const LIKELY_ENVIRONMENT = (table: string) =>
  `case when exists (select 1 from api_keys k where k.org_id = ${table}.org_id and k.environment = 'live') then 'live' else 'sandbox' end`;

const bordered = (db: MigrationBuilder, table: string) => [
  db.schema.alterTable(table).addColumn('project_id', 'text', (column) => column.notNull().defaultTo('')),
  db.schema
    .alterTable(table)
    .addColumn('environment', 'text', (column) => column.notNull().defaultTo('live')),
  raw(
    db,
    `update ${table} set project_id = ${FIRST_PROJECT(table)}, environment = ${LIKELY_ENVIRONMENT(table)}`,
  ),
];

const oneEach = (
  db: MigrationBuilder,
  table: string,
  columns: readonly { name: string; type: 'text' | 'integer' | 'bigint'; optional?: boolean }[],
) => {
  const names = columns.map(({ name }) => name).join(', ');
  let create = db.schema
    .createTable(`${table}_new`)
    .addColumn('org_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull());
  for (const { name, type, optional } of columns)
    create = create.addColumn(name, type, (column) => (optional ? column : column.notNull()));
  return [
    create.addPrimaryKeyConstraint(`${table}_place`, ['org_id', 'project_id', 'environment']),
    raw(
      db,
      `insert into ${table}_new (org_id, project_id, environment, ${names})
       select o.org_id, p.id, e.environment, ${columns.map(({ name }) => `o.${name}`).join(', ')}
       from ${table} o join projects p on p.org_id = o.org_id
       cross join (select 'live' as environment union all select 'sandbox') e`,
    ),
    db.schema.dropTable(table),
    db.schema.alterTable(`${table}_new`).renameTo(table),
  ];
};

const answers = (db: MigrationBuilder) => [
  db.schema
    .createTable('idempotent_answers_new')
    .addColumn('org_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('route', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('body_hash', 'text', (column) => column.notNull())
    .addColumn('answer', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotent_answers_place', [
      'org_id',
      'project_id',
      'environment',
      'route',
      'key',
    ]),
  raw(
    db,
    `insert into idempotent_answers_new
     select distinct a.org_id, j.project_id, j.environment, a.route, a.key, a.body_hash, a.answer, a.expires_at
     from idempotent_answers a
     join transcription_jobs j on j.org_id = a.org_id and j.idempotency_key = a.key
     where a.answer like '%' || j.id || '%'`,
  ),
  db.schema.dropTable('idempotent_answers'),
  db.schema.alterTable('idempotent_answers_new').renameTo('idempotent_answers'),
  db.schema.createIndex('idempotent_answers_by_expiry').on('idempotent_answers').columns(['expires_at']),
];

const byPlace = (db: MigrationBuilder, table: string) =>
  db.schema
    .createIndex(`${table}_by_place`)
    .on(table)
    .columns(['org_id', 'project_id', 'environment', 'created_at', 'id']);

const REQUEST_PLACE = (column: string) =>
  `update speak_requests set ${column} = (select u.${column} from usage_events u where u.id = 'use_' || speak_requests.id)
   where exists (select 1 from usage_events u where u.id = 'use_' || speak_requests.id)`;

export const tenantColumns: Migration = {
  number: 190,
  name: 'borders',
  statements: (db) => [
    ...oneEach(db, 'hear_vocabularies', [
      { name: 'terms', type: 'text' },
      { name: 'batch_active', type: 'integer' },
      { name: 'streaming_active', type: 'integer' },
      { name: 'updated_at', type: 'bigint' },
    ]),
    ...oneEach(db, 'speak_settings', [
      { name: 'default_voice', type: 'text' },
      { name: 'updated_at', type: 'bigint' },
    ]),
    ...oneEach(db, 'webhook_secrets', [
      { name: 'secret', type: 'text' },
      { name: 'created_at', type: 'bigint' },
      { name: 'previous_secret', type: 'text', optional: true },
      { name: 'previous_until', type: 'bigint', optional: true },
    ]),
    ...answers(db),
    ...['speak_voices', 'speak_designs', 'speak_previews', 'speak_requests'].flatMap((table) =>
      bordered(db, table),
    ),
    ...['project_id', 'environment'].map((column) => raw(db, REQUEST_PLACE(column))),
    ...['webhook_events', 'webhook_deliveries'].flatMap((table) => bordered(db, table)),
    ...['speak_voices', 'webhook_deliveries', 'omni_calls', 'transcription_jobs'].map((table) =>
      byPlace(db, table),
    ),
  ],
};
