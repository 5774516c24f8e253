import type { Principal } from '../../access/contract.ts';
import type { JobQueue, NewJob as QueuedJob, Trx } from '../../jobs/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { PageEnd } from '../../platform/pages.ts';
import type { Blobs, Storage } from '../../storage/index.ts';
import type { TranscriptionJobRow } from '../../storage/tables/jobs.ts';
import type { JobSummary, JobView } from './schemas.ts';
import { findJob, findResult, keepAnswer, keptAnswer, listJobs } from './store.ts';
import type { JobRequest } from './submission.ts';
import { viewOf } from './views.ts';

/** Jobs whose audio is here. */
export const QUEUE = 'transcription';
/** Jobs that wait for a customer's server to send their audio: as slow as it likes, it holds up no recognition. */
export const FETCH_QUEUE = 'transcription.fetch';
export const BLOB_AREA = 'jobs';
const ROUTE = 'transcription/jobs';
const KEPT_MS = 24 * 3600 * 1000;
/** Tries without progress: enough to sit out an hour of a customer's server being away. */
const MAX_ATTEMPTS = 10;

export interface NewJob {
  readonly id: string;
  readonly principal: Principal;
  readonly request: JobRequest;
  readonly audioUrl: string | null;
  readonly webhookUrl: string | null;
  readonly idempotency: { readonly key: string; readonly bodyHash: string } | null;
}

/** What its queue knows of a job; the id is the transcription's. */
export const queuedJob = (
  queue: typeof QUEUE | typeof FETCH_QUEUE,
  { id, org_id }: Pick<TranscriptionJobRow, 'id' | 'org_id'>,
): QueuedJob => ({ id, queue, tenant: org_id, payload: null, maxAttempts: MAX_ATTEMPTS });

const notFound = (): ApiError => new ApiError('not_found', 'There is no such transcription job.');

export class TranscriptionJobs {
  readonly #storage: Storage;
  readonly #blobs: Blobs;
  readonly #queue: JobQueue;
  readonly #clock: Clock;

  constructor(deps: { storage: Storage; blobs: Blobs; queue: JobQueue; clock: Clock }) {
    this.#storage = deps.storage;
    this.#blobs = deps.blobs;
    this.#queue = deps.queue;
    this.#clock = deps.clock;
  }

  newId(): string {
    return newId('job');
  }

  /** The answer that the first request with this key got; null: it is the first. */
  async replay(orgId: string, key: string, bodyHash: string): Promise<JobView | null> {
    const kept = await keptAnswer(this.#storage.db, orgId, ROUTE, key, this.#clock.now());
    if (!kept) return null;
    if (kept.body_hash !== bodyHash) {
      throw new ApiError('idempotency_conflict', 'The Idempotency-Key was used with a different body.');
    }
    return JSON.parse(kept.answer) as JobView;
  }

  /** Accepts the job: from here on it ends in exactly one way. */
  async submit(job: NewJob): Promise<JobView> {
    const row = this.#rowOf(job);
    const view = viewOf(row, null);
    try {
      await this.#storage.transaction(async (trx) => {
        if (job.idempotency) await this.#keepAnswer(trx, job, view);
        await trx.insertInto('transcription_jobs').values(row).execute();
        await this.#queue.enqueue(trx, queuedJob(row.audio_url === null ? QUEUE : FETCH_QUEUE, row));
      });
    } catch (error) {
      const replayed = job.idempotency && (await this.#raced(job, job.idempotency));
      if (replayed) return replayed;
      throw error;
    }
    return view;
  }

  async get(orgId: string, id: string): Promise<JobView> {
    const row = await findJob(this.#storage.db, orgId, id);
    if (!row) throw notFound();
    return viewOf(row, row.status === 'completed' ? await findResult(this.#storage.db, id) : null);
  }

  /** One more than `limit`, newest first. */
  list(orgId: string, limit: number, start: PageEnd | null): Promise<TranscriptionJobRow[]> {
    return listJobs(this.#storage.db, orgId, limit + 1, start);
  }

  /** Takes the job, its audio and its result away; one that runs stops and can store nothing more. */
  async remove(orgId: string, id: string): Promise<void> {
    await this.#storage.transaction(async (trx) => {
      const row = await findJob(trx, orgId, id);
      if (!row) throw notFound();
      await this.#queue.cancel(trx, id);
      await trx.deleteFrom('transcription_jobs').where('id', '=', id).execute();
    });
    await this.#blobs.deleteOwner(BLOB_AREA, id);
  }

  #rowOf({ id, principal, request, audioUrl, webhookUrl, idempotency }: NewJob): TranscriptionJobRow {
    return {
      id,
      org_id: principal.orgId,
      project_id: principal.projectId,
      key_id: principal.keyId,
      environment: principal.environment,
      status: 'queued',
      request: JSON.stringify(request),
      audio_url: audioUrl,
      webhook_url: webhookUrl,
      idempotency_key: idempotency?.key ?? null,
      max_bytes: principal.limits.jobUpload.bytes,
      max_seconds: principal.limits.jobUpload.seconds,
      language: null,
      duration_ms: null,
      progress: 0,
      pii_count: request.entities === null ? null : 0,
      error: null,
      created_at: this.#clock.now(),
      started_at: null,
      completed_at: null,
      audio_removed_at: null,
    };
  }

  async #keepAnswer(trx: Trx, job: NewJob, view: JobSummary): Promise<void> {
    const { key, bodyHash } = job.idempotency as NonNullable<NewJob['idempotency']>;
    const now = this.#clock.now();
    await keepAnswer(
      trx,
      {
        org_id: job.principal.orgId,
        route: ROUTE,
        key,
        body_hash: bodyHash,
        answer: JSON.stringify(view),
        expires_at: now + KEPT_MS,
      },
      now,
    );
  }

  /** Two requests with one key at the same moment: the second finds what the first has stored. */
  #raced(job: NewJob, idempotency: NonNullable<NewJob['idempotency']>): Promise<JobView | null> {
    return this.replay(job.principal.orgId, idempotency.key, idempotency.bodyHash);
  }
}
