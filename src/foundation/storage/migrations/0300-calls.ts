import { sql } from 'kysely';
import { type Migration, raw } from '../migrate.ts';

const PARTS = ['omni_calls', 'telephony_calls', 'msgapp_calls', 'amd_calls'] as const;
const TENANT_COLUMNS = ['org_id', 'project_id', 'environment'] as const;

/**
 * A live row of a version without leases gets this owner, which is no node, so that the sweep of lost calls ends it.
 */
const UNLEASED = 'node_unleased';

const COLUMNS =
  'id, org_id, project_id, environment, key_id, kind, direction, state, end_reason, node_id, lost_at, created_at, answered_at, ended_at';

/** A leg's call has the id of its agent's session, or one derived from the leg's own. */
const legCallId = (suffixAt: number) => `coalesce(omni_call_id, 'ocl_' || substr(id, ${suffixAt}))`;
const owner = (isLive: string) =>
  `case when ${isLive} then coalesce(node_id, '${UNLEASED}') else node_id end`;

/**
 * The statements create calls for rows without one, in the migration and while nodes of an earlier version still run.
 * A live row without a lease is skipped while its node renews it (`seen_at` after `staleBefore`).
 */
export function adoptingStatements(staleBefore: number): readonly string[] {
  const isJudged = (isOver: string) =>
    `call_id is null and (${isOver} or node_id is not null or seen_at < ${staleBefore})`;
  const phones = isJudged(`state = 'ended' or (state = 'queued' and dialed_at is null)`);
  const apps = isJudged(`state = 'ended'`);
  const sessions = isJudged(`status <> 'live'`);
  const legOf = (table: string) =>
    `(select l.call_id from ${table} l where l.omni_call_id = omni_calls.id and l.call_id is not null limit 1)`;
  const isLeg = `exists (select 1 from telephony_calls l where l.omni_call_id = omni_calls.id)
    or exists (select 1 from msgapp_calls l where l.omni_call_id = omni_calls.id)`;
  const isPhoneCall = `exists (select 1 from telephony_calls t where t.id = amd_calls.call_sid)`;
  return [
    `insert into calls (${COLUMNS})
     select ${legCallId(5)}, org_id, project_id, environment, key_id, 'telephony', direction, state, end_reason,
       ${owner(`state <> 'ended' and not (state = 'queued' and dialed_at is null)`)}, lost_at, created_at, answered_at, ended_at
     from telephony_calls where ${phones} on conflict (id) do nothing`,
    `update telephony_calls set call_id = ${legCallId(5)} where ${phones}`,
    `insert into calls (${COLUMNS})
     select ${legCallId(7)}, org_id, project_id, environment, null, 'msgapp', direction, state, end_reason,
       ${owner(`state <> 'ended'`)}, lost_at, created_at, answered_at, ended_at
     from msgapp_calls where ${apps} on conflict (id) do nothing`,
    `update msgapp_calls set call_id = ${legCallId(7)} where ${apps}`,
    `insert into calls (${COLUMNS})
     select id, org_id, project_id, environment, key_id, 'browser', 'inbound',
       case when status = 'live' then 'answered' else 'ended' end, end_reason,
       ${owner(`status = 'live'`)}, lost_at, started_at, started_at,
       case when status = 'live' then null else started_at + duration_ms end
     from omni_calls where ${sessions} and not (${isLeg}) on conflict (id) do nothing`,
    `update omni_calls set call_id = coalesce(${legOf('telephony_calls')}, ${legOf('msgapp_calls')}, id)
     where ${sessions}`,
    `insert into calls (${COLUMNS})
     select 'ocl_' || substr(id, 5), org_id, project_id, environment, key_id, 'amd', 'outbound', 'ended', 'completed',
       null, null, created_at, created_at, created_at
     from amd_calls where call_id is null and not (${isPhoneCall}) on conflict (id) do nothing`,
    `update amd_calls set call_id = coalesce(
       (select t.call_id from telephony_calls t where t.id = amd_calls.call_sid), 'ocl_' || substr(id, 5))
     where call_id is null and (not (${isPhoneCall})
       or exists (select 1 from telephony_calls t where t.id = amd_calls.call_sid and t.call_id is not null))`,
  ];
}

/**
 * One record stands for each call with its legs at carriers (`telephony_calls`, `msgapp_calls`), agent sessions
 * (`omni_calls`) and detections (`amd_calls`). Their own `node_id` and `seen_at` serve nodes of earlier versions.
 */
export const calls: Migration = {
  number: 300,
  name: 'calls',
  statements: (db) => [
    db.schema
      .createTable('calls')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('direction', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('end_reason', 'text')
      .addColumn('node_id', 'text')
      .addColumn('lost_at', 'bigint')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('answered_at', 'bigint')
      .addColumn('ended_at', 'bigint'),
    db.schema
      .createIndex('calls_by_reach')
      .on('calls')
      .columns([...TENANT_COLUMNS, 'created_at', 'id']),
    db.schema
      .createIndex('calls_live')
      .on('calls')
      .columns(['node_id'])
      .where(sql.ref('state'), '<>', sql.lit('ended')),
    ...PARTS.flatMap((table) => [
      db.schema.alterTable(table).addColumn('call_id', 'text'),
      db.schema.createIndex(`${table}_by_call`).on(table).columns(['call_id']),
    ]),
    ...adoptingStatements(0).map((statement) => raw(db, statement)),
  ],
};
