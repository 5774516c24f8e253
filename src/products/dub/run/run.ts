import type { AccessControl } from '../../../foundation/access/contract.ts';
import { tenantScopeOfRow } from '../../../foundation/access/index.ts';
import { type Billing, usageEventOf } from '../../../foundation/billing/index.ts';
import {
  type DeadJob,
  type JobQueue,
  LeaseLostError,
  queueFor,
  type RunningJob,
  type Trx,
} from '../../../foundation/jobs/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import type { UrlGate } from '../../../foundation/platform/url-gate/index.ts';
import type { DubJobRow } from '../../../foundation/storage/tables/dub.ts';
import type { Webhooks } from '../../../foundation/webhooks/index.ts';
import { type AudioSpool, fetchAudio } from '../../../speech/transcription/index.ts';
import type { DubOutput, SourceMedia } from '../contract.ts';
import { queuedDub } from '../dub-jobs.ts';
import { DubFault, type DubFaultCode, faultOf, StepFailed } from '../fault.ts';
import {
  BLOB_AREA,
  dubReservationId,
  fileKey,
  QUEUE,
  RESERVATION_MS,
  sourceKey,
  speechReservationId,
} from '../keys-and-queues.ts';
import { segmentsOf, updateDub } from '../store.ts';
import { type DubView, spokenOf, viewOf } from '../views.ts';
import { beginDub, endInError, reopen } from './dub-run-store.ts';
import { openSource } from './media.ts';
import { mixDub } from './mix.ts';
import { speakSegments } from './speak.ts';
import { type DubStep, type DubStepDeps, publishProgress } from './step.ts';
import { transcribeSource } from './transcribe-source.ts';
import { translate } from './translate.ts';

export interface DubRunDeps extends DubStepDeps {
  readonly gate: UrlGate;
  readonly access: Pick<AccessControl, 'confirm'>;
  readonly billing: Billing;
  readonly webhooks: Webhooks;
  readonly queue: JobQueue;
  readonly clock: Clock;
  readonly spool: AudioSpool;
}

const OURS =
  'The dub failed because of a server error and was not billed. Render it again: it resumes where it stopped.';

/** One attempt at a dub; it continues where the last one ended. */
export class DubRun {
  readonly #deps: DubRunDeps;

  constructor(deps: DubRunDeps) {
    this.#deps = deps;
  }

  /** Fetches the file; the job then waits in the queue of dubs. */
  async fetch(job: RunningJob, signal: AbortSignal): Promise<void> {
    const row = await beginDub(this.#deps.storage, job.id, this.#deps.clock.now());
    if (!row) return await job.complete(async () => {});
    await fetchAudio(row, this.#deps, signal, sourceKey(row.id));
    await this.#passOn(job, row);
  }

  #passOn(job: RunningJob, row: DubJobRow): Promise<void> {
    return job.complete((trx) => this.#deps.queue.enqueue(trx, queuedDub(QUEUE, row)));
  }

  async run(job: RunningJob, from: string, signal: AbortSignal): Promise<void> {
    const row = await beginDub(this.#deps.storage, job.id, this.#deps.clock.now());
    if (!row) return await job.complete(async () => {});
    // Jobs of an older version lie in a single queue.
    if (queueFor(QUEUE, row.environment) !== from) return await this.#passOn(job, row);
    const { audio, media } = await openSource(row, this.#deps, signal);
    try {
      const step = { deps: this.#deps, job, row, scope: tenantScopeOfRow(row), audio, signal };
      await this.#begin(step, media);
      const output = await this.#steps(step, media);
      await this.#finish(step, output);
    } finally {
      await audio.remove();
    }
  }

  /** Runs in the transaction that gives the job up. */
  async died(trx: Trx, job: DeadJob): Promise<void> {
    const { message, code } = dubFailureOf(job);
    const row = await endInError(trx, job.id, { message, code, now: this.#deps.clock.now() });
    if (!row) return;
    await this.#deps.billing.releaseReservation(dubReservationId(row.id), trx);
    await this.#deps.billing.releaseReservation(speechReservationId(row.id), trx);
    await this.#notify(trx, row, 'dub.error');
  }

  revived(trx: Trx, job: DeadJob): Promise<void> {
    return reopen(trx, job.id);
  }

  /** The length is known now, so an organization that cannot pay is refused before any work. */
  async #begin(step: DubStep, media: SourceMedia): Promise<void> {
    const { row, scope, job } = step;
    const duration = Math.round(media.seconds * 1000);
    if (row.media === null) {
      await this.#confirm(row, 'dub.hearing', dubReservationId(row.id), duration);
      // The speech is at most as long as the recording.
      await this.#confirm(row, 'dub.speech', speechReservationId(row.id), duration);
    }
    const known = await segmentsOf(this.#deps.storage.db, scope, row.id);
    const status = known.length === 0 ? 'transcribing' : 'translating';
    const begun = { media: JSON.stringify(media), duration_ms: duration, status } as const;
    // An attempt that repeats this makes no progress by it, so that its failures count.
    if (row.media !== null) await publishProgress(step, begun);
    else await job.checkpoint(0, async (trx) => void (await updateDub(trx, scope, row.id, begun)));
  }

  async #confirm(
    row: DubJobRow,
    use: 'dub.hearing' | 'dub.speech',
    hold: string,
    milliseconds: number,
  ): Promise<void> {
    const { org_id: orgId, project_id: projectId, key_id: keyId, environment } = row;
    const order = {
      reservationId: hold,
      milliseconds: Math.max(1, milliseconds),
      leaseMs: RESERVATION_MS,
      resource: row.id,
    };
    try {
      await this.#deps.access.confirm({ orgId, projectId, keyId, environment }, use, order);
    } catch (error) {
      throw faultOf(error, 'insufficient_credit');
    }
  }

  async #steps(step: DubStep, media: SourceMedia): Promise<DubOutput> {
    const known = await segmentsOf(this.#deps.storage.db, step.scope, step.row.id);
    if (known.length === 0) await transcribeSource(step);
    await translate(step);
    await speakSegments(step);
    return await mixDub(step, media);
  }

  /** Writes the result, its cost and its event in one transaction. */
  async #finish({ row, scope, job }: DubStep, output: DubOutput): Promise<void> {
    const { clock, billing } = this.#deps;
    await job.complete(async (trx) => {
      const now = clock.now();
      const done = await updateDub(trx, scope, row.id, {
        status: 'done',
        completed_at: now,
        progress: 1000,
        output: JSON.stringify(output),
      });
      if (!done) throw new LeaseLostError(row.id);
      await this.#bill(trx, done, now);
      await billing.releaseReservation(dubReservationId(row.id), trx);
      await billing.releaseReservation(speechReservationId(row.id), trx);
      await this.#notify(trx, done, 'dub.done');
    });
    await this.#tidy(row, output);
  }

  /** The recording is billed once, and speech each time that it is synthesized. */
  async #bill(trx: Trx, row: DubJobRow, now: number): Promise<void> {
    const scope = tenantScopeOfRow(row);
    const spoken = (await segmentsOf(trx, scope, row.id)).flatMap((segment) => spokenOf(segment) ?? []);
    const made = spoken.filter(({ name }) => name.endsWith(`-r${row.revision}`));
    const common = { resource: row.id, occurredAt: now };
    if (row.revision === 1) {
      await this.#deps.billing.recordUsage(
        trx,
        usageEventOf(row, {
          ...common,
          id: `use_${row.id}_hearing`,
          use: 'dub.hearing',
          milliseconds: row.duration_ms ?? 0,
          reservationId: dubReservationId(row.id),
        }),
      );
    }
    await this.#deps.billing.recordUsage(
      trx,
      usageEventOf(row, {
        ...common,
        id: `use_${row.id}_speech_${row.revision}`,
        use: 'dub.speech',
        milliseconds: made.reduce((so, { duration_ms }) => so + duration_ms, 0),
        reservationId: speechReservationId(row.id),
      }),
    );
  }

  /** Removes audio and files of earlier revisions. */
  async #tidy(row: DubJobRow, output: DubOutput): Promise<void> {
    const { storage, blobs } = this.#deps;
    const segments = await segmentsOf(storage.db, tenantScopeOfRow(row), row.id);
    const needed = new Set(segments.flatMap((segment) => spokenOf(segment)?.name ?? []));
    needed.add(output.name).add(sourceKey(row.id).name);
    for (const { name } of await blobs.list(BLOB_AREA, row.id)) {
      if (!needed.has(name)) await blobs.delete(fileKey(row.id, name));
    }
  }

  async #notify(trx: Trx, row: DubJobRow, type: 'dub.done' | 'dub.error'): Promise<void> {
    await this.#deps.webhooks.publish(trx, {
      scope: tenantScopeOfRow(row),
      type,
      data: endEvent(viewOf(row)),
      resource: row.id,
      urls: [],
      idempotencyKey: row.idempotency_key,
    });
  }
}

const endEvent = (view: DubView) => ({
  id: view.id,
  object: view.object,
  status: view.status === 'done' ? ('done' as const) : ('error' as const),
  source: view.source,
  target: view.target,
  revision: view.revision,
  duration_s: view.duration_s,
  created_at: view.created_at,
  completed_at: view.completed_at,
  external_id: view.external_id,
  error: view.error,
});

/** Only messages written for customers are shown to them. */
function dubFailureOf({ cause, reason }: DeadJob): { message: string; code: DubFaultCode } {
  if (cause instanceof DubFault || cause instanceof StepFailed) {
    return { message: cause.message, code: cause.code };
  }
  if (/^The audio (URL|is larger)/.test(reason)) return { message: reason, code: 'source_unavailable' };
  return { message: OURS, code: 'internal_error' };
}
