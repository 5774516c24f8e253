import type { Kysely } from 'kysely';
import type { TenantScope } from '../../foundation/access/contract.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { newestFirst, type Tables, withinTenant } from '../../foundation/storage/index.ts';
import type { DubJobRow, DubSegmentRow } from '../../foundation/storage/tables/dub.ts';

type Db = Kysely<Tables>;

export interface DubFilter extends PageQuery {
  readonly status?: DubJobRow['status'] | undefined;
}

export async function findDub(db: Db, scope: TenantScope, id: string): Promise<DubJobRow | null> {
  const row = await withinTenant(db, scope)
    .selectFrom('dub_jobs')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

export async function listDubs(
  db: Db,
  scope: TenantScope,
  query: DubFilter,
  start: PageEnd | null,
): Promise<DubJobRow[]> {
  const all = withinTenant(db, scope).selectFrom('dub_jobs').selectAll();
  const rows = query.status === undefined ? all : all.where('status', '=', query.status);
  return await newestFirst(rows, query, start).execute();
}

export const segmentsOf = (db: Db, scope: TenantScope, id: string): Promise<DubSegmentRow[]> =>
  withinTenant(db, scope)
    .selectFrom('dub_segments')
    .selectAll()
    .where('job_id', '=', id)
    .orderBy('number')
    .execute();

export async function updateDub(
  db: Db,
  scope: TenantScope,
  id: string,
  change: Partial<Omit<DubJobRow, 'id' | 'org_id' | 'project_id' | 'environment'>>,
): Promise<DubJobRow | null> {
  const row = await withinTenant(db, scope)
    .updateTable('dub_jobs')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return (row as DubJobRow | undefined) ?? null;
}

export async function updateSegment(
  db: Db,
  scope: TenantScope,
  id: string,
  number: number,
  change: Partial<
    Pick<DubSegmentRow, 'text' | 'text_edited' | 'translation' | 'translated_by' | 'voice' | 'spoken'>
  >,
): Promise<boolean> {
  const result = await withinTenant(db, scope)
    .updateTable('dub_segments')
    .set(change)
    .where('job_id', '=', id)
    .where('number', '=', number)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
