import { sql } from 'kysely';
import type { Storage } from '../storage/index.ts';
import type { Environment, Meter } from '../tenancy/index.ts';

export type UsageDimension = 'day' | 'project' | 'key' | 'meter';

export interface UsageQuery {
  readonly orgId: string;
  readonly from: string;
  readonly to: string;
  readonly groupBy: readonly UsageDimension[];
  readonly environment?: Environment | undefined;
  readonly projectIds?: readonly string[] | undefined;
}

export interface UsageLine {
  readonly day: string | null;
  readonly projectId: string | null;
  readonly keyId: string | null;
  readonly meter: Meter | null;
  readonly environment: Environment;
  readonly milliseconds: number;
  readonly callMinutes: number;
  readonly calls: number;
}

const COLUMNS = { day: 'day', project: 'project_id', key: 'key_id', meter: 'meter' } as const;

export async function readUsage(storage: Storage, query: UsageQuery): Promise<UsageLine[]> {
  const columns = query.groupBy.map((dimension) => COLUMNS[dimension]);
  let select = storage.db
    .selectFrom('usage_days')
    .select('environment')
    .select(columns)
    .select([
      sql<number>`cast(sum(milliseconds) as bigint)`.as('milliseconds'),
      sql<number>`cast(sum(call_minutes) as bigint)`.as('call_minutes'),
      sql<number>`cast(sum(calls) as bigint)`.as('calls'),
    ])
    .where('org_id', '=', query.orgId)
    .where('day', '>=', query.from)
    .where('day', '<=', query.to);
  if (query.environment !== undefined) select = select.where('environment', '=', query.environment);
  if (query.projectIds !== undefined) select = select.where('project_id', 'in', [...query.projectIds]);
  select = select.groupBy(['environment', ...columns]);
  for (const column of columns) select = select.orderBy(column);
  const rows = await select.orderBy('environment').execute();
  return rows.map((row) => ({
    day: row.day ?? null,
    projectId: row.project_id || null,
    keyId: row.key_id || null,
    meter: row.meter ?? null,
    environment: row.environment,
    milliseconds: row.milliseconds,
    callMinutes: row.call_minutes,
    calls: row.calls,
  }));
}
