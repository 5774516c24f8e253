import type { Admission, Principal } from '../../foundation/access/contract.ts';
import { type TenantScope, tenantScopeOf } from '../../foundation/access/index.ts';
import type { Billing } from '../../foundation/billing/contract.ts';
import {
  type JobQueue,
  type JobToEnqueue as QueuedJob,
  queueFor,
  type Trx,
} from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { type ApiError, NoSuchError } from '../../foundation/platform/errors.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { PageEnd } from '../../foundation/platform/pages.ts';
import { requireNoLegalHoldOn } from '../../foundation/privacy/index.ts';
import type { Blobs, Storage } from '../../foundation/storage/index.ts';
import { withinTenant } from '../../foundation/storage/index.ts';
import type { TranscriptionJobRow } from '../../foundation/storage/tables/jobs.ts';
import type { JobRequest } from './request.ts';
import { findJob, findResult, type JobFilter, listJobs } from './store.ts';
import { type JobView, viewOf } from './views.ts';

export const QUEUE = 'transcription';
/** These jobs wait for customers' servers in a queue of their own, so that a slow server delays no recognition. */
export const FETCH_QUEUE = 'transcription.fetch';

export const BLOB_AREA = 'jobs';
/** The attempts without progress outlast an hour's outage of a customer's server. */
const MAX_ATTEMPTS = 10;

export interface NewJob {
  readonly id: string;
  readonly principal: Principal;
  readonly admission: Admission;
  readonly request: JobRequest;
  readonly audioUrl: string | null;
  readonly webhookUrl: string | null;
  readonly externalId?: string | null;
  readonly idempotencyKey: string | null;
  readonly keep: (transaction: Trx, view: JobView) => Promise<void>;
}

export const transcriptionReservationId = (jobId: string): string => `hold_${jobId}`;
/** The reservation outlasts any queue; a job that waited longer reserves again when it starts. */
export const RESERVATION_MS = 7 * 24 * 3600 * 1000;

export const queuedJob = (
  queue: string,
  { id, org_id, environment }: Pick<TranscriptionJobRow, 'id' | 'org_id' | 'environment'>,
): QueuedJob => ({
  id,
  queue: queueFor(queue, environment),
  tenant: org_id,
  payload: null,
  maxAttempts: MAX_ATTEMPTS,
});

const notFound = (): ApiError => new NoSuchError('transcription job');

export class TranscriptionJobs {
  readonly #storage: Storage;
  readonly #blobs: Blobs;
  readonly #queue: JobQueue;
  readonly #clock: Clock;
  readonly #billing: Billing;

  constructor(deps: { storage: Storage; blobs: Blobs; queue: JobQueue; clock: Clock; billing: Billing }) {
    this.#storage = deps.storage;
    this.#blobs = deps.blobs;
    this.#queue = deps.queue;
    this.#clock = deps.clock;
    this.#billing = deps.billing;
  }

  newId(): string {
    return newId('job');
  }

  async submit(job: NewJob): Promise<JobView> {
    const row = this.#rowOf(job);
    const view = viewOf(row, null);
    await this.#storage.transaction(async (trx) => {
      await job.keep(trx, view);
      await withinTenant(trx, tenantScopeOf(job.principal)).insertInto('transcription_jobs', row).execute();
      await this.#queue.enqueue(trx, queuedJob(row.audio_url === null ? QUEUE : FETCH_QUEUE, row));
      await this.#billing.extendReservation(trx, transcriptionReservationId(row.id), RESERVATION_MS);
    });
    job.admission.handOver();
    return view;
  }

  async get(scope: TenantScope, id: string): Promise<JobView> {
    const row = await findJob(this.#storage.db, scope, id);
    if (!row) throw notFound();
    return viewOf(row, row.status === 'completed' ? await findResult(this.#storage.db, scope, id) : null);
  }

  /** Returns up to `limit` + 1 rows, newest first. */
  list(scope: TenantScope, filter: JobFilter, start: PageEnd | null): Promise<TranscriptionJobRow[]> {
    return listJobs(this.#storage.db, scope, filter, start);
  }

  /** Removes the job, its audio and its result; a running attempt stops and can store nothing more. */
  async remove(scope: TenantScope, id: string): Promise<void> {
    await this.#storage.transaction(async (trx) => {
      const row = await findJob(trx, scope, id);
      if (!row) throw notFound();
      await requireNoLegalHoldOn(trx, scope, id);
      await this.#queue.cancel(trx, id);
      await this.#billing.releaseReservation(transcriptionReservationId(id), trx);
      await withinTenant(trx, scope).deleteFrom('transcription_jobs').where('id', '=', id).execute();
    });
    await this.#blobs.deleteOwner(BLOB_AREA, id);
    await this.#storage.scrub();
  }

  #rowOf({
    id,
    principal,
    request,
    audioUrl,
    webhookUrl,
    externalId,
    idempotencyKey,
  }: NewJob): TranscriptionJobRow {
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
      idempotency_key: idempotencyKey,
      external_id: externalId ?? null,
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
}
