import type { AccessControl, Principal } from '../../foundation/access/contract.ts';
import { type ImpliedPrincipals, tenantScopeOfRow } from '../../foundation/access/index.ts';
import {
  type DeadJob,
  JOB_PRIORITY,
  type JobDefinition,
  type JobQueue,
  type JobToEnqueue,
  PermanentError,
  QueueWorker,
  type RunningJob,
  type Trx,
} from '../../foundation/jobs/index.ts';
import { GateError, type UrlGate } from '../../foundation/platform/url-gate/index.ts';
import { acrossTenants, type Storage } from '../../foundation/storage/index.ts';
import type { ImportedCallRow } from '../../foundation/storage/tables/integrations.ts';
import {
  PLAIN_REQUEST,
  type TranscriptionJobs,
  transcriptionReservationId,
} from '../../speech/transcription/index.ts';
import type { ImportedCalls } from './imported-calls.ts';

export interface ImportingOptions {
  readonly storage: Storage;
  readonly queue: JobQueue;
  readonly access: Pick<AccessControl, 'admit'>;
  readonly jobs: Pick<TranscriptionJobs, 'newId' | 'submit'>;
  readonly gate: Pick<UrlGate, 'check'>;
  readonly calls: ImportedCalls;
  readonly standings: Pick<ImpliedPrincipals, 'of'>;
  readonly onError?: (error: Error) => void;
}

const QUEUE = 'calls.import';
/**
 * These retries, with the queue's backoff, span most of a day, because missing credit or a spend cap is resolved by
 * people.
 */
const TRIES = 20;
/** The reservation for a recording that was not downloaded yet. */
const UNKNOWN_LENGTH_MS = 60_000;

export const importJob = (id: string, orgId: string): JobToEnqueue => ({
  id,
  queue: QUEUE,
  tenant: orgId,
  payload: null,
  priority: JOB_PRIORITY.background,
  maxAttempts: TRIES,
});

/** Submits recordings of imported calls to Hear's jobs; Recap and Trace follow a job by themselves. */
export class Importing extends QueueWorker {
  readonly #options: ImportingOptions;

  constructor(options: ImportingOptions) {
    super(options);
    this.#options = options;
  }

  protected definition(): JobDefinition {
    return {
      queue: QUEUE,
      concurrency: 8,
      perTenant: 4,
      leaseMs: 30_000,
      run: (job) => this.#run(job),
      onDead: (trx, job) => this.#died(trx, job),
      onRevived: (trx, job) => this.#move(trx, job.id, 'failed', { state: 'queued', error: null }),
    };
  }

  async #run(job: RunningJob): Promise<void> {
    const row = await this.#row(this.#options.storage.db as never, job.id);
    // An earlier attempt may have submitted it before its node died; it may also have been erased.
    if (row?.state === 'queued') await this.#submit(row, await this.#payerOf(row));
    await job.complete(async () => {});
  }

  async #payerOf(row: ImportedCallRow): Promise<Principal> {
    const principal = await this.#options.standings.of(tenantScopeOfRow(row));
    if (principal === null)
      throw new PermanentError('The project to which the call would be billed was deleted.');
    return principal;
  }

  async #submit(row: ImportedCallRow, principal: Principal): Promise<void> {
    const { jobs, access, calls } = this.#options;
    const audioUrl = this.#checked(row.recording_url as string);
    const id = jobs.newId();
    const order = {
      realtime: false,
      milliseconds: UNKNOWN_LENGTH_MS,
      reservationId: transcriptionReservationId(id),
      resource: id,
    };
    const admission = await access.admit(principal, 'hear.job', order);
    try {
      await jobs.submit({
        id,
        principal,
        admission,
        request: { ...PLAIN_REQUEST, diarize: true },
        audioUrl,
        webhookUrl: null,
        externalId: row.external_id,
        idempotencyKey: null,
        keep: async (trx) => {
          const to = { state: 'submitted', job_id: id } as const;
          if (!(await calls.move(trx, tenantScopeOfRow(row), row.id, 'queued', to)))
            throw new PermanentError('The call was imported by another request, or erased.');
        },
      });
    } finally {
      await admission.release();
    }
  }

  #checked(url: string): string {
    try {
      this.#options.gate.check(url);
      return url;
    } catch (error) {
      if (error instanceof GateError) throw new PermanentError(`The recording’s URL: ${error.message}`);
      throw error;
    }
  }

  #died(trx: Trx, job: DeadJob): Promise<void> {
    return this.#move(trx, job.id, 'queued', { state: 'failed', error: job.reason.slice(0, 500) });
  }

  async #move(
    trx: Trx,
    id: string,
    from: ImportedCallRow['state'],
    to: Pick<ImportedCallRow, 'state' | 'error'>,
  ): Promise<void> {
    const row = await this.#row(trx, id);
    if (row !== undefined) await this.#options.calls.move(trx, tenantScopeOfRow(row), id, from, to);
  }

  #row(db: Trx, id: string): Promise<ImportedCallRow | undefined> {
    return acrossTenants(db).selectFrom('imported_calls').selectAll().where('id', '=', id).executeTakeFirst();
  }
}
