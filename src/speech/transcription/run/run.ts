import type { AccessControl, Environment } from '../../../foundation/access/contract.ts';
import { tenantScopeOfRow } from '../../../foundation/access/index.ts';
import { type Billing, usageEventOf } from '../../../foundation/billing/index.ts';
import { DomainEvent, type DomainEvents } from '../../../foundation/events/index.ts';
import {
  type DeadJob,
  type JobQueue,
  LeaseLostError,
  PermanentError,
  queueFor,
  type RunningJob,
  type Trx,
} from '../../../foundation/jobs/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import type { UrlGate } from '../../../foundation/platform/url-gate/index.ts';
import type { Blobs, Storage } from '../../../foundation/storage/index.ts';
import { acrossTenants } from '../../../foundation/storage/index.ts';
import type { TranscriptionJobRow } from '../../../foundation/storage/tables/jobs.ts';
import type { Webhooks } from '../../../foundation/webhooks/index.ts';
import type { AudioDecoder } from '../../../media/codec/index.ts';
import type { Recognizer, SpeakerEmbedder, SpeakerEmbedding, SpeechSpan } from '../contract.ts';
import type { JobRequest } from '../request.ts';
import type { Transcript } from '../transcript.ts';
import {
  FETCH_QUEUE,
  QUEUE,
  queuedJob,
  RESERVATION_MS,
  transcriptionReservationId,
} from '../transcription-jobs.ts';
import { summaryOf } from '../views.ts';
import { assemble } from './assemble.ts';
import { fetchAudio, isElsewhere, spoolAudio } from './audio.ts';
import { RedactionBuffer } from './redaction-buffer.ts';
import { loadSpans, type RecognizedProgress, type StoredSpan, storeSpan } from './span-store.ts';
import { voicesInSpan, withCurrentVoices } from './span-voices.ts';
import type { AudioSpool, SpooledAudio } from './spool.ts';
import { mainLanguage, stepsOf } from './steps.ts';

export interface TranscriptionDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly gate: UrlGate;
  readonly access: Pick<AccessControl, 'confirm'>;
  readonly billing: Billing;
  readonly webhooks: Webhooks;
  readonly queue: JobQueue;
  readonly clock: Clock;
  readonly spool: AudioSpool;
  readonly decoder: AudioDecoder;
  readonly recognizer: Recognizer;
  readonly voices: SpeakerEmbedder;
  /** Resolves once no live tenant has work in progress, or after a timeout. Jobs of sandbox keys wait for it. */
  readonly liveAtRest?: (signal: AbortSignal) => Promise<void>;
  readonly events?: Pick<DomainEvents, 'publish'>;
}

export const TranscriptionCompleted = new DomainEvent<TranscriptionJobRow>('transcription.completed');
export const TranscriptionFailed = new DomainEvent<TranscriptionJobRow>('transcription.failed');

export class TranscriptionRun {
  readonly #deps: TranscriptionDeps;

  constructor(deps: TranscriptionDeps) {
    this.#deps = deps;
  }

  async fetch(job: RunningJob, signal: AbortSignal): Promise<void> {
    const row = await this.#begin(job.id);
    if (!row) return await job.complete(async () => {});
    await fetchAudio(row, this.#deps, signal);
    await this.#passOn(job, row, QUEUE);
  }

  async run(job: RunningJob, from: string, signal: AbortSignal): Promise<void> {
    const row = await this.#begin(job.id);
    if (!row) return await job.complete(async () => {});
    // Jobs of an older version are in a single queue.
    if (queueFor(QUEUE, row.environment) !== from) return await this.#passOn(job, row, QUEUE);
    // The job was restored after its audio was removed.
    if (await isElsewhere(row, this.#deps.blobs)) return await this.#passOn(job, row, FETCH_QUEUE);
    if (row.environment === 'sandbox') await this.#deps.liveAtRest?.(signal);
    signal.throwIfAborted();
    const request = JSON.parse(row.request) as JobRequest;
    const audio = await spoolAudio(row, request.channel, this.#deps, signal);
    try {
      await this.#confirm(row, audio.seconds);
      const stored = await loadSpans(this.#deps.storage.db, job.id);
      for (let channel = 0; channel < audio.channels; channel += 1) {
        const done = stored.filter((span) => span.channel === channel);
        const run = new ChannelRun(
          this.#deps,
          job,
          request,
          { audio, channel, environment: row.environment },
          signal,
        );
        await run.run(done);
      }
      await this.#finish(job, row, request, audio, signal);
    } finally {
      await audio.remove();
    }
  }

  /** The length is known now, so an account without enough credit fails before recognition. */
  async #confirm(row: TranscriptionJobRow, seconds: number): Promise<void> {
    const account = {
      orgId: row.org_id,
      projectId: row.project_id,
      keyId: row.key_id,
      environment: row.environment,
    };
    try {
      await this.#deps.access.confirm(account, 'hear.job', {
        reservationId: transcriptionReservationId(row.id),
        milliseconds: Math.max(1, Math.round(seconds * 1000)),
        leaseMs: RESERVATION_MS,
        resource: row.id,
      });
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) throw new PermanentError(error.message);
      throw error;
    }
  }

  async died(trx: Trx, job: DeadJob): Promise<void> {
    const row = await acrossTenants(trx)
      .updateTable('transcription_jobs')
      .set({ status: 'failed', error: messageOf(job), completed_at: this.#deps.clock.now() })
      .where('id', '=', job.id)
      .where('status', 'in', ['queued', 'processing'])
      .returningAll()
      .executeTakeFirst();
    if (!row) return;
    await acrossTenants(trx).deleteFrom('transcription_segments').where('job_id', '=', job.id).execute();
    await this.#deps.billing.releaseReservation(transcriptionReservationId(row.id), trx);
    await this.#notify(trx, row, 'transcription.job.failed');
    await this.#deps.events?.publish(trx, TranscriptionFailed, row);
  }

  async revived(trx: Trx, job: DeadJob): Promise<void> {
    await acrossTenants(trx)
      .updateTable('transcription_jobs')
      .set((eb) => ({
        status: 'queued',
        error: null,
        started_at: null,
        completed_at: null,
        progress: 0,
        language: null,
        // The next attempt finds the entities again. A null count stays null: the scan is off.
        pii_count: eb('pii_count', '*', 0),
        // The audio is fetched again, so the retention sweep has to remove it again.
        audio_removed_at: null,
      }))
      .where('id', '=', job.id)
      .where('status', '=', 'failed')
      .execute();
  }

  #passOn(job: RunningJob, row: TranscriptionJobRow, to: string): Promise<void> {
    return job.complete((trx) => this.#deps.queue.enqueue(trx, queuedJob(to, row)));
  }

  async #begin(id: string): Promise<TranscriptionJobRow | null> {
    const { storage, clock } = this.#deps;
    return await storage.transaction(async (trx) => {
      const row = await acrossTenants(trx)
        .updateTable('transcription_jobs')
        .set((eb) => ({
          status: 'processing',
          started_at: eb.fn.coalesce('started_at', eb.val(clock.now())),
        }))
        .where('id', '=', id)
        .where('status', 'in', ['queued', 'processing'])
        .returningAll()
        .executeTakeFirst();
      return row ?? null;
    });
  }

  async #finish(
    job: RunningJob,
    row: TranscriptionJobRow,
    request: JobRequest,
    audio: SpooledAudio,
    signal: AbortSignal,
  ): Promise<void> {
    const { storage, voices: embedder } = this.#deps;
    const { environment } = row;
    const stored = await loadSpans(storage.db, job.id);
    const spans = await withCurrentVoices(stored, { audio, embedder, environment, signal });
    const transcript = await assemble(spans, request);
    const found = { language: mainLanguage(spans), durationMs: Math.round(audio.seconds * 1000) };
    await job.complete((trx) => this.#record(trx, row, transcript, found));
  }

  /** Stores the result, its usage and its events in one transaction. */
  async #record(
    trx: Trx,
    row: TranscriptionJobRow,
    transcript: Transcript,
    { language, durationMs }: { readonly language: string | null; readonly durationMs: number },
  ): Promise<void> {
    const now = this.#deps.clock.now();
    await acrossTenants(trx)
      .insertInto('transcription_results')
      .values({ job_id: row.id, document: JSON.stringify(transcript) })
      .execute();
    const completed = await acrossTenants(trx)
      .updateTable('transcription_jobs')
      .set({ status: 'completed', completed_at: now, duration_ms: durationMs, progress: 1000, language })
      .where('id', '=', row.id)
      .returningAll()
      .executeTakeFirstOrThrow(() => new LeaseLostError(row.id));
    await acrossTenants(trx).deleteFrom('transcription_segments').where('job_id', '=', row.id).execute();
    const used = usageEventOf(row, {
      id: `use_${row.id}`,
      use: 'hear.job',
      // A file without speech is free.
      milliseconds: transcript.text === '' ? 0 : durationMs,
      resource: row.id,
      occurredAt: now,
      reservationId: transcriptionReservationId(row.id),
    });
    await this.#deps.billing.recordUsage(trx, used);
    await this.#deps.billing.releaseReservation(transcriptionReservationId(row.id), trx);
    await this.#notify(trx, completed, 'transcription.job.completed');
    await this.#deps.events?.publish(trx, TranscriptionCompleted, completed);
  }

  async #notify(trx: Trx, row: TranscriptionJobRow, type: JobEvent): Promise<void> {
    await this.#deps.webhooks.publish(trx, {
      scope: tenantScopeOfRow(row),
      type,
      data: { ...summaryOf(row), idempotency_key: row.idempotency_key },
      resource: row.id,
      urls: row.webhook_url === null ? [] : [row.webhook_url],
      idempotencyKey: row.idempotency_key,
    });
  }
}

type JobEvent = 'transcription.job.completed' | 'transcription.job.failed';

function messageOf(job: DeadJob): string {
  if (job.cause instanceof PermanentError) return job.reason;
  if (job.reason.startsWith('The audio URL')) return job.reason;
  return 'The transcription failed because of a server error and was not billed. Submit it again.';
}

interface ChannelOf {
  readonly audio: SpooledAudio;
  readonly channel: number;
  readonly environment: Environment;
}

class ChannelRun {
  readonly #deps: TranscriptionDeps;
  readonly #job: RunningJob;
  readonly #request: JobRequest;
  readonly #of: ChannelOf;
  readonly #signal: AbortSignal;
  #sequence = 0;

  constructor(
    deps: TranscriptionDeps,
    job: RunningJob,
    request: JobRequest,
    of: ChannelOf,
    signal: AbortSignal,
  ) {
    this.#deps = deps;
    this.#job = job;
    this.#request = request;
    this.#of = of;
    this.#signal = signal;
  }

  async run(done: readonly StoredSpan[]): Promise<void> {
    this.#sequence = done.length;
    const holdBack =
      this.#request.entities &&
      new RedactionBuffer(this.#request.entities, done.map(({ text }) => text).join(' '));
    const steps = stepsOf({
      ...this.#of,
      from: done.at(-1)?.done ?? 0,
      expected: done.findLast(({ language }) => language)?.language ?? null,
      vocabulary: this.#request.vocabulary,
      recognizer: this.#deps.recognizer,
      signal: this.#signal,
    });
    for await (const { span, done: position } of steps) {
      if (!span) continue;
      const heard = { ...span, done: position };
      if (!holdBack) await this.#keep([heard], 0);
      else {
        const { spans: released, count } = holdBack.add(heard);
        await this.#keep(released, count);
      }
    }
    if (holdBack) {
      const { spans: rest, count } = holdBack.flush();
      await this.#keep(rest, count);
    }
  }

  async #keep(spans: readonly RecognizedProgress[], found: number): Promise<void> {
    const last = spans.at(-1);
    if (!last) return;
    const voices = await Promise.all(spans.map((span) => this.#voices(span)));
    const first = this.#sequence;
    const progress = (this.#of.channel + last.done / this.#of.audio.seconds) / this.#of.audio.channels;
    await this.#job.checkpoint(progress, async (trx) => {
      for (const [at, span] of spans.entries()) {
        await storeSpan(trx, this.#job.id, this.#of.channel, first + at, span, voices[at] ?? []);
      }
      await acrossTenants(trx)
        .updateTable('transcription_jobs')
        .set((eb) => ({
          progress: Math.round(Math.min(1, progress) * 1000),
          pii_count: this.#request.entities === null ? null : eb('pii_count', '+', found),
        }))
        .where('id', '=', this.#job.id)
        .execute();
    });
    this.#sequence = first + spans.length;
  }

  async #voices(span: SpeechSpan): Promise<readonly SpeakerEmbedding[]> {
    if (!this.#request.diarize) return [];
    const { audio, channel, environment } = this.#of;
    const reading = { audio, embedder: this.#deps.voices, environment, signal: this.#signal };
    return await voicesInSpan(reading, channel, span);
  }
}
