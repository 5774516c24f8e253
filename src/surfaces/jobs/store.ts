import type { Kysely } from 'kysely';
import type { Trx } from '../../jobs/index.ts';
import type { PageEnd } from '../../platform/pages.ts';
import type { Tables } from '../../storage/index.ts';
import type { TranscriptionJobRow } from '../../storage/tables/jobs.ts';

export async function findJob(
  db: Kysely<Tables>,
  orgId: string,
  id: string,
): Promise<TranscriptionJobRow | null> {
  const row = await db
    .selectFrom('transcription_jobs')
    .selectAll()
    .where('id', '=', id)
    .where('org_id', '=', orgId)
    .executeTakeFirst();
  return row ?? null;
}

export async function findResult(db: Kysely<Tables>, id: string): Promise<string | null> {
  const row = await db
    .selectFrom('transcription_results')
    .select('document')
    .where('job_id', '=', id)
    .executeTakeFirst();
  return row?.document ?? null;
}

export async function listJobs(
  db: Kysely<Tables>,
  orgId: string,
  limit: number,
  start: PageEnd | null,
): Promise<TranscriptionJobRow[]> {
  let query = db.selectFrom('transcription_jobs').selectAll().where('org_id', '=', orgId);
  if (start) {
    query = query.where(({ eb, or, and }) =>
      or([
        eb('created_at', '<', start.createdAt),
        and([eb('created_at', '=', start.createdAt), eb('id', '<', start.id)]),
      ]),
    );
  }
  return await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

export interface KeptAnswer {
  readonly body_hash: string;
  readonly answer: string;
}

export async function keptAnswer(
  db: Kysely<Tables>,
  orgId: string,
  route: string,
  key: string,
  now: number,
): Promise<KeptAnswer | null> {
  const row = await db
    .selectFrom('idempotent_answers')
    .select(['body_hash', 'answer'])
    .where('org_id', '=', orgId)
    .where('route', '=', route)
    .where('key', '=', key)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row ?? null;
}

export async function keepAnswer(trx: Trx, row: Tables['idempotent_answers'], now: number): Promise<void> {
  await trx
    .deleteFrom('idempotent_answers')
    .where('org_id', '=', row.org_id)
    .where('route', '=', row.route)
    .where('key', '=', row.key)
    .where('expires_at', '<=', now)
    .execute();
  await trx.insertInto('idempotent_answers').values(row).execute();
}

export async function forgetAnswers(trx: Trx, now: number): Promise<void> {
  await trx.deleteFrom('idempotent_answers').where('expires_at', '<=', now).execute();
}
