import type { Kysely } from 'kysely';
import type { TenantScope } from '../../foundation/access/contract.ts';
import type { PageEnd } from '../../foundation/platform/pages.ts';
import type { Tables } from '../../foundation/storage/index.ts';
import { newestFirst, withinTenant } from '../../foundation/storage/index.ts';
import type { TranscriptionJobRow } from '../../foundation/storage/tables/jobs.ts';

export interface JobFilter {
  readonly limit: number;
  readonly status?: TranscriptionJobRow['status'] | undefined;
}

export async function findJob(
  db: Kysely<Tables>,
  scope: TenantScope,
  id: string,
): Promise<TranscriptionJobRow | null> {
  const row = await withinTenant(db, scope)
    .selectFrom('transcription_jobs')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

export async function findResult(db: Kysely<Tables>, scope: TenantScope, id: string): Promise<string | null> {
  const row = await withinTenant(db, scope)
    .selectFromPart('transcription_results')
    .select('document')
    .where('job_id', '=', id)
    .executeTakeFirst();
  return row?.document ?? null;
}

export async function listJobs(
  db: Kysely<Tables>,
  scope: TenantScope,
  { limit, status }: JobFilter,
  start: PageEnd | null,
): Promise<TranscriptionJobRow[]> {
  const jobs = withinTenant(db, scope).selectFrom('transcription_jobs').selectAll();
  const query = status === undefined ? jobs : jobs.where('status', '=', status);
  return await newestFirst(query, { limit }, start).execute();
}
