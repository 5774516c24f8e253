import type { FastifyRequest } from 'fastify';
import type { Environment } from '../../../../foundation/access/contract.ts';
import { tenantScopeOf } from '../../../../foundation/access/index.ts';
import {
  type JobDefinition,
  type JobQueue,
  type JobWorker,
  queueFor,
  type RunningJob,
  sandboxQueueOf,
} from '../../../../foundation/jobs/index.ts';
import type { Clock } from '../../../../foundation/platform/clock.ts';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import { GateError, type UrlGate } from '../../../../foundation/platform/url-gate/index.ts';
import { type Blobs, BlobTooLargeError } from '../../../../foundation/storage/index.ts';
import { sendRequest } from '../../../../foundation/webhooks/index.ts';
import {
  audioKey,
  type JobView,
  PLAIN_REQUEST,
  type TranscriptionJobs,
  transcriptionReservationId,
} from '../../../../speech/transcription/index.ts';
import { declaredBytes } from '../../../server/surface.ts';
import { type AnswerOptions, answerOf, type Recording } from './answer.ts';
import type { HeardChannel, Sentence } from './transcript.ts';

export interface CallbackDeps {
  readonly jobs: TranscriptionJobs;
  readonly queue: JobQueue;
  readonly blobs: Blobs;
  readonly gate: Pick<UrlGate, 'check' | 'fetch'>;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

export interface CallbackWishes {
  readonly url: string;
  readonly method: 'POST' | 'PUT';
  readonly diarize: boolean;
  readonly multichannel: boolean;
  readonly options: AnswerOptions;
}

interface Callback {
  readonly jobId: string;
  readonly orgId: string;
  readonly projectId: string;
  readonly environment: Environment;
  readonly url: string;
  readonly method: 'POST' | 'PUT';
  readonly sha256: string;
  readonly options: AnswerOptions;
}

const QUEUE = 'deepgram.callback';
/** Deepgram documents ten attempts, 30 s apart. */
const ATTEMPTS = 10;
const RETRY_AFTER_MS = 30_000;
const POLL_MS = 1_000;
const LEASE_MS = 30_000;
const CONCURRENCY = 8;
const PER_TENANT = 2;
const ASSUMED_LENGTH_MS = 60_000;

/** Transcribes recordings as jobs, and sends each transcript to the URL that its request named. */
export class DeepgramCallbacks {
  readonly #deps: CallbackDeps;
  #workers: JobWorker[] = [];

  constructor(deps: CallbackDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#workers = [QUEUE, sandboxQueueOf(QUEUE)].map((queue) => {
      const definition: JobDefinition = {
        queue,
        concurrency: CONCURRENCY,
        perTenant: PER_TENANT,
        isOutbound: true,
        leaseMs: LEASE_MS,
        backoffMs: () => RETRY_AFTER_MS,
        run: (job, signal) => this.#run(job, signal),
      };
      return this.#deps.queue.startWorker(definition, { onError: this.#deps.onError });
    });
  }

  async stop(deadlineMs: number): Promise<void> {
    await Promise.all(this.#workers.splice(0).map((worker) => worker.stop(deadlineMs)));
  }

  check(url: string): void {
    try {
      this.#deps.gate.check(url);
    } catch (error) {
      if (!(error instanceof GateError)) throw error;
      throw new ApiError('invalid_request', error.message, { param: 'callback', cause: error });
    }
  }

  /** Returns the id of the job, which is the request's id in the transcript. */
  async submit(request: FastifyRequest, recording: Recording, wishes: CallbackWishes): Promise<string> {
    const { jobs, blobs, queue } = this.#deps;
    const principal = request.caller();
    const { orgId, projectId, environment } = principal;
    const id = jobs.newId();
    const { bytes: maxBytes } = principal.limits.jobUpload;
    const admission = await request.admit('hear.job', {
      milliseconds: ASSUMED_LENGTH_MS,
      reservationId: transcriptionReservationId(id),
      resource: id,
    });
    const { url, method, options, diarize, multichannel } = wishes;
    try {
      const payer = { ...principal, bytes: declaredBytes(request) };
      await blobs.put(audioKey(id), recording.bytes, { payer, maxBytes });
      request.gone.throwIfAborted();
      const sha256 = recording.sha256();
      const payload = { jobId: id, orgId, projectId, environment, url, method, sha256, options };
      await jobs.submit({
        id,
        principal,
        admission,
        request: { ...PLAIN_REQUEST, diarize, channel: multichannel },
        audioUrl: null,
        webhookUrl: null,
        idempotencyKey: null,
        keep: (transaction) =>
          queue.enqueue(transaction, {
            id: `${QUEUE}.${id}`,
            queue: queueFor(QUEUE, environment),
            tenant: orgId,
            payload: payload satisfies Callback,
            maxAttempts: ATTEMPTS,
          }),
      });
      return id;
    } catch (error) {
      await blobs.delete(audioKey(id));
      if (error instanceof BlobTooLargeError)
        throw new ApiError('payload_too_large', `The recording is larger than ${maxBytes} bytes.`);
      throw error;
    }
  }

  async #run(job: RunningJob, signal: AbortSignal): Promise<void> {
    const callback = job.payload as Callback;
    const view = await this.#find(callback);
    if (view !== null && view.status !== 'completed' && view.status !== 'failed') {
      await job.postpone(this.#deps.clock.now() + POLL_MS, async () => undefined);
      return;
    }
    if (view !== null) {
      const { url, method } = callback;
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify(documentOf(callback, view));
      const { error } = await sendRequest(this.#deps.gate, { url, method, headers, body }, signal);
      // The transcript stays readable as a job after the last attempt.
      if (error !== null && job.attempt < job.maxAttempts) throw new Error(`The callback failed: ${error}`);
    }
    await job.complete(async () => undefined);
  }

  /** Null means that the job was removed, and so nobody is told. */
  async #find(callback: Callback): Promise<JobView | null> {
    try {
      return await this.#deps.jobs.get(tenantScopeOf(callback), callback.jobId);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') return null;
      throw error;
    }
  }
}

function documentOf({ jobId, sha256, options }: Callback, view: JobView): object {
  if (view.status === 'failed')
    return { request_id: jobId, err_code: 'TRANSCRIPTION_FAILED', err_msg: view.error ?? 'It failed.' };
  return answerOf(
    { requestId: jobId, sha256, createdAt: view.created_at, seconds: view.duration_s ?? 0 },
    channelsOf(view),
    options,
  );
}

function channelsOf({ segments, words }: JobView): HeardChannel[] {
  const unused = [...words];
  const channels = 1 + Math.max(0, ...segments.map(({ channel }) => channel ?? 0));
  const sentences: Sentence[][] = Array.from({ length: channels }, () => []);
  for (const { channel, speaker, start, end, text } of segments) {
    const own = [];
    for (const token of text.split(/\s+/)) {
      const at = unused.findIndex((word) => word.start > end || (word.start >= start && word.word === token));
      const word = unused[at];
      if (word === undefined || word.start > end) continue;
      own.push(word);
      unused.splice(at, 1);
    }
    sentences[channel ?? 0]!.push({ speaker, start, end, text, words: own });
  }
  return sentences.map((spoken) => ({ sentences: spoken, language: null }));
}
