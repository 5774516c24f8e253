import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import type { AudioDecoder } from '../../codec/index.ts';
import type { JobQueue } from '../../jobs/index.ts';
import { ApiError } from '../../platform/errors.ts';
import { DEFAULT_PAGE, PageQuery, pageOf, pageStart } from '../../platform/pages.ts';
import type { UrlGate } from '../../platform/url-gate/index.ts';
import { defineForm } from '../../server/surface.ts';
import { type Blobs, BlobTooLargeError } from '../../storage/index.ts';
import { BYTES_PER_SECOND, SAMPLE_RATE } from './contract.ts';
import { audioKey, MAX_CHANNELS } from './run/audio.ts';
import {
  DeadPage,
  Deleted,
  JobOptions,
  JobPage,
  JobSubmission,
  JobView,
  SubmissionHeaders,
} from './schemas.ts';
import type { TranscriptionJobs } from './service.ts';
import { bodyHash, checkUserUrl, jobRequestOf } from './submission.ts';
import { summaryOf } from './views.ts';

export interface RouteDeps {
  readonly jobs: TranscriptionJobs;
  readonly queue: JobQueue;
  readonly blobs: Blobs;
  readonly gate: UrlGate;
  readonly decoder: AudioDecoder;
}

const LOOKED_AT_SECONDS = 60;
/** No format here takes less for a second of sound: a file that is small for what is allowed is not too long. */
const LEAST_BYTES_PER_SECOND = 500;

const access = { kind: 'key', scope: 'transcribe:jobs' } as const;
const Id = Type.Object({ id: Type.String() });
type Id = Static<typeof Id>;

const form = defineForm(JobOptions, { file: { required: true, description: 'The audio' } });

/** The body may be a form instead; only JSON is for the validator. */
const unlessForm = (app: FastifyInstance) => (route: { httpPart?: string; schema: unknown }) => {
  const compile = app.validatorCompiler as NonNullable<typeof app.validatorCompiler>;
  const validate = compile(route as Parameters<typeof compile>[0]);
  if (route.httpPart !== 'body') return validate;
  return (data: unknown) => {
    if (data === undefined || data === null) return true;
    const outcome = validate(data);
    return outcome === false ? { error: validate.errors } : outcome;
  };
};

export function registerRoutes(app: FastifyInstance, deps: RouteDeps): void {
  app.post('/v1/transcription/jobs', {
    config: {
      access,
      form: form.schema,
      formOptional: true,
      errors: [
        'invalid_audio',
        'idempotency_conflict',
        'trace_not_entitled',
        'trace_not_combinable',
        'unsupported_language',
        'unsupported_model',
        'credit_exhausted',
        'key_budget_exceeded',
        'insufficient_quota',
        'daily_cap_exceeded',
      ],
    },
    validatorCompiler: unlessForm(app) as never,
    schema: {
      summary: 'Submit audio for transcription',
      description:
        'JSON with `audio_url`, or a form with `file`. A JSON submission that repeats an Idempotency-Key within 24 hours gets the first answer again.',
      headers: SubmissionHeaders,
      body: JobSubmission,
      response: { 201: JobView },
    },
    handler: async (request, reply) => {
      const view = request.isMultipart() ? await submitForm(request, deps) : await submitJson(request, deps);
      return reply.code(201).send(view);
    },
  });
  registerReading(app, deps);
  registerDead(app, deps);
}

async function submitJson(request: FastifyRequest, deps: RouteDeps): Promise<JobView> {
  const principal = request.caller();
  const body = request.body as JobSubmission | undefined | null;
  if (!body) throw new ApiError('invalid_request', 'The body is empty; this route wants JSON or a form.');
  checkUserUrl(deps.gate, body.audio_url, 'audio_url');
  if (body.webhook_url !== undefined) checkUserUrl(deps.gate, body.webhook_url, 'webhook_url');
  const jobRequest = jobRequestOf(body, principal);
  const key = (request.headers as Static<typeof SubmissionHeaders>)['idempotency-key'];
  const idempotency = key === undefined ? null : { key, bodyHash: bodyHash(body) };
  if (idempotency) {
    const replayed = await deps.jobs.replay(principal.orgId, idempotency.key, idempotency.bodyHash);
    if (replayed) return replayed;
  }
  await request.admit('hear_async');
  return await deps.jobs.submit({
    id: deps.jobs.newId(),
    principal,
    request: jobRequest,
    audioUrl: body.audio_url,
    webhookUrl: body.webhook_url ?? null,
    idempotency,
  });
}

async function submitForm(request: FastifyRequest, deps: RouteDeps): Promise<JobView> {
  const { blobs, gate, jobs } = deps;
  const principal = request.caller();
  const id = jobs.newId();
  const { bytes: maxBytes } = principal.limits.jobUpload;
  const { fields } = await form.read(request, {
    maxBytes,
    store: (file) => blobs.put(audioKey(id), file.bytes),
    discard: () => blobs.delete(audioKey(id)),
  });
  try {
    if (fields.webhook_url !== undefined) checkUserUrl(gate, fields.webhook_url, 'webhook_url');
    const jobRequest = jobRequestOf(fields, principal);
    await checkAudio(request, deps, id, jobRequest.channel);
    await request.admit('hear_async');
    // A client that was never told of its job sends it again: it would be done, and paid for, twice.
    request.gone.throwIfAborted();
    const webhookUrl = fields.webhook_url ?? null;
    return await jobs.submit({
      id,
      principal,
      request: jobRequest,
      audioUrl: null,
      webhookUrl,
      idempotency: null,
    });
  } catch (error) {
    await blobs.delete(audioKey(id));
    if (error instanceof BlobTooLargeError) {
      throw new ApiError('payload_too_large', `file holds more than ${maxBytes} bytes.`, { param: 'file' });
    }
    throw error;
  }
}

/** Refuses at once what can be seen from the beginning of the file; a file that says nothing of its length, from all of
 * it, where it could be too long. */
async function checkAudio(
  request: FastifyRequest,
  { blobs, decoder }: RouteDeps,
  id: string,
  separately: boolean,
): Promise<void> {
  const { seconds: maxSeconds } = request.caller().limits.jobUpload;
  const body = await blobs.get(audioKey(id));
  if (!body) throw new ApiError('invalid_request', 'file is required.', { param: 'file' });
  try {
    const limits = separately ? { maxSeconds, maxChannels: MAX_CHANNELS } : { maxSeconds };
    const format = { sampleRate: SAMPLE_RATE, channels: 'mix', sample: 's16' } as const;
    const options = { ...format, ...limits, signal: request.gone };
    const { pcm, declaredSeconds } = await decoder.decode({ stream: body.stream }, options);
    const lengthKnown = declaredSeconds !== undefined || body.bytes <= maxSeconds * LEAST_BYTES_PER_SECOND;
    // A minute of it: by then the header has been judged, and the length that it declares.
    let bytes = 0;
    for await (const chunk of pcm) {
      bytes += chunk.length;
      if (lengthKnown && bytes > LOOKED_AT_SECONDS * BYTES_PER_SECOND) break;
    }
  } finally {
    body.stream.destroy();
  }
}

function registerReading(app: FastifyInstance, { jobs }: RouteDeps): void {
  app.get<{ Querystring: PageQuery }>('/v1/transcription/jobs', {
    config: { access },
    schema: {
      summary: 'Transcription jobs, newest first, without what was said',
      querystring: PageQuery,
      response: { 200: JobPage },
    },
    handler: async (request) => {
      const limit = request.query.limit ?? DEFAULT_PAGE;
      const rows = await jobs.list(request.caller().orgId, limit, pageStart(request.query));
      return pageOf(rows, request.query, (row) => ({ createdAt: row.created_at, id: row.id }), summaryOf);
    },
  });
  app.get<{ Params: Id }>('/v1/transcription/jobs/:id', {
    config: { access },
    schema: { summary: 'A transcription job and its result', params: Id, response: { 200: JobView } },
    handler: (request) => jobs.get(request.caller().orgId, request.params.id),
  });
  app.delete<{ Params: Id }>('/v1/transcription/jobs/:id', {
    config: { access },
    schema: { summary: 'Remove a job, its audio and its result', params: Id, response: { 200: Deleted } },
    handler: async (request) => {
      const { id } = request.params;
      await jobs.remove(request.caller().orgId, id);
      return { id, object: 'transcription.job' as const, deleted: true as const };
    },
  });
}

const DeadQuery = Type.Object({
  queue: Type.Optional(Type.String({ maxLength: 100 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: DEFAULT_PAGE })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
});
type DeadQuery = Static<typeof DeadQuery>;

/** For whoever runs the server. */
function registerDead(app: FastifyInstance, { queue }: RouteDeps): void {
  const operator = { kind: 'operator' } as const;
  app.get<{ Querystring: DeadQuery }>('/v1/jobs/dead', {
    config: { access: operator },
    schema: {
      summary: 'Jobs of every queue that were given up, for the operator',
      querystring: DeadQuery,
      response: { 200: DeadPage },
    },
    handler: async (request) => {
      const { queue: name, limit, cursor } = request.query;
      const page = await queue.dead(name ?? null, limit ?? DEFAULT_PAGE, cursor ?? null);
      const data = page.jobs.map((job) => ({
        id: job.id,
        object: 'job.dead' as const,
        queue: job.queue,
        tenant: job.tenant,
        attempts: job.attempts,
        error: job.lastError,
        created_at: job.createdAt,
      }));
      return { object: 'list' as const, data, next_cursor: page.next };
    },
  });
  app.post<{ Params: Id }>('/v1/jobs/dead/:id/retry', {
    config: { access: operator },
    schema: {
      summary: 'Bring a dead job back to its queue, for the operator',
      params: Id,
      response: { 202: Type.Object({ id: Type.String(), status: Type.Literal('queued') }) },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      if (!(await queue.retry(id))) throw new ApiError('not_found', 'There is no such dead job.');
      return reply.code(202).send({ id, status: 'queued' as const });
    },
  });
}
