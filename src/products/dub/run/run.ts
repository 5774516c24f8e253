import type { Access } from '../../../foundation/access/contract.ts';
import { reachOfRow } from '../../../foundation/access/index.ts';
import { type Billing, usageOf } from '../../../foundation/billing/index.ts';
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
import { fetchAudio, type Spool } from '../../../speech/transcription/index.ts';
import type { Media, Output } from '../contract.ts';
import { DubFault, type DubFaultCode, faultOf, StepFailed } from '../fault.ts';
import { BLOB_AREA, fileKey, HOLD_MS, holdOf, QUEUE, sourceKey, speechHoldOf } from '../places.ts';
import { queuedDub } from '../service.ts';
import { segmentsOf, updateDub } from '../store.ts';
import { type DubView, spokenOf, viewOf } from '../views.ts';
import { hear } from './hear.ts';
import { beginDub, endInError, reopen } from './kept.ts';
import { openSource } from './media.ts';
import { mix } from './mix.ts';
import { speak } from './speak.ts';
import { type Step, type StepDeps, tell } from './step.ts';
import { translate } from './translate.ts';

export interface DubRunDeps extends StepDeps {
  readonly gate: UrlGate;
  readonly access: Pick<Access, 'confirm'>;
  readonly billing: Billing;
  readonly webhooks: Webhooks;
  readonly queue: JobQueue;
  readonly clock: Clock;
  readonly spool: Spool;
}

const OURS =
  'The dub failed on our side. Render it again: what is done is kept, and nothing was charged for it.';

/** One try at one dub, from wherever the last one came to. */
export class DubRun {
  readonly #deps: DubRunDeps;

  constructor(deps: DubRunDeps) {
    this.#deps = deps;
  }

  /** Brings the file here; the job then waits for a hand that dubs. */
  async fetch(job: RunningJob, signal: AbortSignal): Promise<void> {
    const row = await beginDub(this.#deps.storage, job.id, this.#deps.clock.now());
    if (!row) return await job.complete(async () => {});
    await fetchAudio(row, this.#deps, signal, sourceKey(row.id));
    await this.#passOn(job, row);
  }

  #passOn(job: RunningJob, row: DubJobRow): Promise<void> {
    return job.complete((trx) => this.#deps.queue.enqueue(trx, queuedDub(QUEUE, row)));
  }

  /** `from`: the queue that gave it. */
  async run(job: RunningJob, from: string, signal: AbortSignal): Promise<void> {
    const row = await beginDub(this.#deps.storage, job.id, this.#deps.clock.now());
    if (!row) return await job.complete(async () => {});
    // Of an older version, which had one queue for all.
    if (queueFor(QUEUE, row.environment) !== from) return await this.#passOn(job, row);
    const { audio, media } = await openSource(row, this.#deps, signal);
    try {
      const step = { deps: this.#deps, job, row, reach: reachOfRow(row), audio, signal };
      await this.#begin(step, media);
      const output = await this.#steps(step, media);
      await this.#finish(step, output);
    } finally {
      await audio.remove();
    }
  }

  /** In the transaction that gives the job up. */
  async died(trx: Trx, job: DeadJob): Promise<void> {
    const { message, code } = toldOf(job);
    const row = await endInError(trx, job.id, { message, code, now: this.#deps.clock.now() });
    if (!row) return;
    await this.#deps.billing.release(holdOf(row.id), trx);
    await this.#deps.billing.release(speechHoldOf(row.id), trx);
    await this.#tell(trx, row, 'dub.error');
  }

  revived(trx: Trx, job: DeadJob): Promise<void> {
    return reopen(trx, job.id);
  }

  /** Now that its length is known: whoever can't pay for it learns so before anything is done. */
  async #begin(step: Step, media: Media): Promise<void> {
    const { row, reach, job } = step;
    const duration = Math.round(media.seconds * 1000);
    if (row.media === null) {
      await this.#confirm(row, 'dub.hearing', holdOf(row.id), duration);
      // As long as it is heard it is spoken, at the most.
      await this.#confirm(row, 'dub.speech', speechHoldOf(row.id), duration);
    }
    const known = await segmentsOf(this.#deps.storage.db, reach, row.id);
    const status = known.length === 0 ? 'transcribing' : 'translating';
    const begun = { media: JSON.stringify(media), duration_ms: duration, status } as const;
    // Of later tries this is no progress: their failures count.
    if (row.media !== null) await tell(step, begun);
    else await job.checkpoint(0, async (trx) => void (await updateDub(trx, reach, row.id, begun)));
  }

  async #confirm(
    row: DubJobRow,
    use: 'dub.hearing' | 'dub.speech',
    hold: string,
    milliseconds: number,
  ): Promise<void> {
    const { org_id: orgId, project_id: projectId, key_id: keyId, environment } = row;
    const order = { hold, milliseconds: Math.max(1, milliseconds), leaseMs: HOLD_MS, resource: row.id };
    try {
      await this.#deps.access.confirm({ orgId, projectId, keyId, environment }, use, order);
    } catch (error) {
      throw faultOf(error, 'insufficient_credit');
    }
  }

  async #steps(step: Step, media: Media): Promise<Output> {
    const known = await segmentsOf(this.#deps.storage.db, step.reach, step.row.id);
    if (known.length === 0) await hear(step);
    await translate(step);
    await speak(step);
    return await mix(step, media);
  }

  /** The result, what it costs and who is told: all or nothing. */
  async #finish({ row, reach, job }: Step, output: Output): Promise<void> {
    const { clock, billing } = this.#deps;
    await job.complete(async (trx) => {
      const now = clock.now();
      const done = await updateDub(trx, reach, row.id, {
        status: 'done',
        completed_at: now,
        progress: 1000,
        output: JSON.stringify(output),
      });
      if (!done) throw new LeaseLostError(row.id);
      await this.#bill(trx, done, now);
      await billing.release(holdOf(row.id), trx);
      await billing.release(speechHoldOf(row.id), trx);
      await this.#tell(trx, done, 'dub.done');
    });
    await this.#tidy(row, output);
  }

  /** The recording once; speech each time that it is spoken. */
  async #bill(trx: Trx, row: DubJobRow, now: number): Promise<void> {
    const reach = reachOfRow(row);
    const spoken = (await segmentsOf(trx, reach, row.id)).flatMap((segment) => spokenOf(segment) ?? []);
    const made = spoken.filter(({ name }) => name.endsWith(`-r${row.revision}`));
    const common = { resource: row.id, occurredAt: now };
    if (row.revision === 1) {
      await this.#deps.billing.record(
        trx,
        usageOf(row, {
          ...common,
          id: `use_${row.id}_hearing`,
          use: 'dub.hearing',
          milliseconds: row.duration_ms ?? 0,
          hold: holdOf(row.id),
        }),
      );
    }
    await this.#deps.billing.record(
      trx,
      usageOf(row, {
        ...common,
        id: `use_${row.id}_speech_${row.revision}`,
        use: 'dub.speech',
        milliseconds: made.reduce((so, { duration_ms }) => so + duration_ms, 0),
        hold: speechHoldOf(row.id),
      }),
    );
  }

  /** Sounds and files of earlier revisions that nothing needs any more. */
  async #tidy(row: DubJobRow, output: Output): Promise<void> {
    const { storage, blobs } = this.#deps;
    const segments = await segmentsOf(storage.db, reachOfRow(row), row.id);
    const needed = new Set(segments.flatMap((segment) => spokenOf(segment)?.name ?? []));
    needed.add(output.name).add(sourceKey(row.id).name);
    for (const { name } of await blobs.list(BLOB_AREA, row.id)) {
      if (!needed.has(name)) await blobs.delete(fileKey(row.id, name));
    }
  }

  async #tell(trx: Trx, row: DubJobRow, type: 'dub.done' | 'dub.error'): Promise<void> {
    await this.#deps.webhooks.publish(trx, {
      reach: reachOfRow(row),
      type,
      data: toldOfEnd(viewOf(row)),
      resource: row.id,
      urls: [],
      idempotencyKey: row.idempotency_key,
    });
  }
}

const toldOfEnd = (view: DubView) => ({
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

/** Only what was written for the customer is shown to them. */
function toldOf({ cause, reason }: DeadJob): { message: string; code: DubFaultCode } {
  if (cause instanceof DubFault || cause instanceof StepFailed) {
    return { message: cause.message, code: cause.code };
  }
  if (/^The audio (URL|is larger)/.test(reason)) return { message: reason, code: 'source_unavailable' };
  return { message: OURS, code: 'internal_error' };
}
