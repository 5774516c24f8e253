import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { DEFAULT_PAGE, PageQuery, pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import type { UrlGate } from '../../../foundation/platform/url-gate/index.ts';
import { type Blobs, BlobTooLargeError } from '../../../foundation/storage/index.ts';
import { type AudioDecoder, decodingPriorityOf } from '../../../media/codec/index.ts';
import {
  audioKey,
  BYTES_PER_SECOND,
  type JobView as JobDocument,
  MAX_CHANNELS,
  SAMPLE_RATE,
  summaryOf,
  type TranscriptionJobs,
  transcriptionReservationId,
} from '../../../speech/transcription/index.ts';
import { declaredBytes, defineForm, skipBodyOfForms } from '../../server/surface.ts';
import { Deleted, JobOptions, JobPage, JobSubmission, JobView } from './job-schemas.ts';
import { checkUserUrl, jobRequestOf } from './job-submission.ts';

export interface JobRoutesDeps {
  readonly jobs: TranscriptionJobs;
  readonly blobs: Blobs;
  readonly gate: UrlGate;
  readonly decoder: AudioDecoder;
}

const ASSUMED_LENGTH_MS = 60_000;
const PROBED_SECONDS = 60;
/**
 * No accepted format needs fewer bytes for a second of audio, so a file below this size per second cannot be too
 * long.
 */
const MIN_BYTES_PER_SECOND = 500;

const access = { kind: 'key', scope: 'transcribe:jobs' } as const;
const Id = Type.Object({ id: Type.String() });
type Id = Static<typeof Id>;

const JobQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(Type.Enum(['queued', 'processing', 'completed', 'failed'])),
});
type JobQuery = Static<typeof JobQuery>;

const form = defineForm(JobOptions, { file: { required: true, description: 'The audio file.' } });

export function jobRoutes(app: FastifyInstance, deps: JobRoutesDeps): void {
  app.post('/v1/transcription/jobs', {
    config: {
      access,
      form: form.schema,
      formOptional: true,
      meters: true,
      idempotent: 'optional',
      errors: [
        'invalid_audio',
        'trace_not_entitled',
        'trace_not_combinable',
        'unsupported_language',
        'unsupported_model',
        'storage_quota_exceeded',
      ],
    },
    validatorCompiler: skipBodyOfForms(app) as never,
    schema: {
      summary: 'Create a transcription job',
      tags: ['Hear'],
      description:
        'Send JSON with `audio_url`, or a form with `file`. A JSON request that repeats an Idempotency-Key within 24 hours returns the first response.',
      body: JobSubmission,
      response: { 201: JobView },
    },
    handler: async (request, reply) => {
      const view = request.isMultipart() ? await submitForm(request, deps) : await submitJson(request, deps);
      return reply.code(201).send(view);
    },
  });
  readRoutes(app, deps);
}

async function submitJson(request: FastifyRequest, deps: JobRoutesDeps): Promise<JobDocument> {
  const principal = request.caller();
  const body = request.body as JobSubmission | undefined | null;
  if (!body) throw new ApiError('invalid_request', 'The body is empty; send JSON or multipart/form-data.');
  checkUserUrl(deps.gate, body.audio_url, 'audio_url');
  if (body.webhook_url !== undefined) checkUserUrl(deps.gate, body.webhook_url, 'webhook_url');
  const jobRequest = jobRequestOf(body, principal);
  const idempotencyKey = (request.headers['idempotency-key'] as string | undefined) ?? null;
  return await request.once(async (keep) => {
    const id = deps.jobs.newId();
    const admission = await admitJob(request, id, ASSUMED_LENGTH_MS);
    return await deps.jobs.submit({
      id,
      principal,
      admission,
      request: jobRequest,
      audioUrl: body.audio_url,
      webhookUrl: body.webhook_url ?? null,
      externalId: body.external_id ?? null,
      idempotencyKey,
      keep,
    });
  });
}

async function submitForm(request: FastifyRequest, deps: JobRoutesDeps): Promise<JobDocument> {
  const { blobs, gate, jobs } = deps;
  const principal = request.caller();
  const id = jobs.newId();
  const { bytes: maxBytes } = principal.limits.jobUpload;
  const payer = { ...principal, bytes: declaredBytes(request) };
  // The admission precedes the upload, so that a caller without credit stores nothing.
  const admission = await admitJob(request, id, 1);
  const { fields } = await form.read(request, {
    maxBytes,
    store: (file) => blobs.put(audioKey(id), file.bytes, { payer, maxBytes }),
    discard: () => blobs.delete(audioKey(id)),
  });
  try {
    if (fields.webhook_url !== undefined) checkUserUrl(gate, fields.webhook_url, 'webhook_url');
    const jobRequest = jobRequestOf(fields, principal);
    const seconds = await checkAudio(request, deps, id, jobRequest.channel);
    await admission.recheck(Math.ceil(seconds * 1000));
    // A client that got no response sends its job again, and would pay twice.
    request.gone.throwIfAborted();
    const webhookUrl = fields.webhook_url ?? null;
    return await jobs.submit({
      id,
      principal,
      admission,
      request: jobRequest,
      audioUrl: null,
      webhookUrl,
      externalId: fields.external_id ?? null,
      idempotencyKey: null,
      keep: async () => {},
    });
  } catch (error) {
    await blobs.delete(audioKey(id));
    if (error instanceof BlobTooLargeError) {
      throw new ApiError('payload_too_large', `file is larger than ${maxBytes} bytes.`, { param: 'file' });
    }
    throw error;
  }
}

const admitJob = (request: FastifyRequest, id: string, milliseconds: number) =>
  request.admit('hear.job', { milliseconds, reservationId: transcriptionReservationId(id), resource: id });

/**
 * Rejects immediately what the beginning of the file shows to be invalid. A file without a declared length that could
 * be too long is decoded to its end.
 */
async function checkAudio(
  request: FastifyRequest,
  { blobs, decoder }: JobRoutesDeps,
  id: string,
  separately: boolean,
): Promise<number> {
  const { seconds: maxSeconds } = request.caller().limits.jobUpload;
  const body = await blobs.get(audioKey(id));
  if (!body) throw new ApiError('invalid_request', 'file is required.', { param: 'file' });
  try {
    const limits = separately ? { maxSeconds, maxChannels: MAX_CHANNELS } : { maxSeconds };
    const format = { sampleRate: SAMPLE_RATE, channels: 'mix', sample: 's16' } as const;
    const priority = decodingPriorityOf(request.caller(), 'sync');
    const options = { ...format, ...limits, signal: request.gone, priority };
    const { pcm, declaredSeconds } = await decoder.decode({ stream: body.stream }, options);
    const lengthKnown = declaredSeconds !== undefined || body.bytes <= maxSeconds * MIN_BYTES_PER_SECOND;
    // A minute of audio suffices to check the header and the length that it declares.
    let bytes = 0;
    for await (const chunk of pcm) {
      bytes += chunk.length;
      if (lengthKnown && bytes > PROBED_SECONDS * BYTES_PER_SECOND) break;
    }
    return Math.max(declaredSeconds ?? 0, bytes / BYTES_PER_SECOND);
  } finally {
    body.stream.destroy();
  }
}

function readRoutes(app: FastifyInstance, { jobs }: JobRoutesDeps): void {
  app.get<{ Querystring: JobQuery }>('/v1/transcription/jobs', {
    config: { access },
    schema: {
      tags: ['Hear'],
      summary: 'List transcription jobs without their transcripts, newest first',
      description: 'A cursor is only valid with the filter it was returned for.',
      querystring: JobQuery,
      response: { 200: JobPage },
    },
    handler: async (request) => {
      const { limit = DEFAULT_PAGE, status } = request.query;
      const rows = await jobs.list(request.tenantScope(), { limit, status }, pageStart(request.query));
      return pageOf(rows, request.query, (row) => ({ createdAt: row.created_at, id: row.id }), summaryOf);
    },
  });
  app.get<{ Params: Id }>('/v1/transcription/jobs/:id', {
    config: { access },
    schema: {
      summary: 'Retrieve a transcription job and its result',
      tags: ['Hear'],
      params: Id,
      response: { 200: JobView },
    },
    handler: (request) => jobs.get(request.tenantScope(), request.params.id),
  });
  app.delete<{ Params: Id }>('/v1/transcription/jobs/:id', {
    config: { access, errors: ['legal_hold'] },
    schema: {
      summary: 'Delete a job, its audio and its result',
      tags: ['Hear'],
      params: Id,
      response: { 200: Deleted },
    },
    handler: async (request) => {
      const { id } = request.params;
      await jobs.remove(request.tenantScope(), id);
      return { id, object: 'transcription.job' as const, deleted: true as const };
    },
  });
}
