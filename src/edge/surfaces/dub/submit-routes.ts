import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../../foundation/platform/errors.ts';
import type { UrlGate } from '../../../foundation/platform/url-gate/index.ts';
import { type Blobs, BlobTooLargeError } from '../../../foundation/storage/index.ts';
import { type AudioDecoder, decodingPriorityOf } from '../../../media/codec/index.ts';
import {
  type DubService,
  type DubView,
  dubReservationId,
  newDubId,
  sourceKey,
} from '../../../products/dub/index.ts';
import type { VoiceCatalogue } from '../../../speech/voices/index.ts';
import { defineForm, skipBodyOfForms } from '../../server/surface.ts';
import { Dub, DubOptions, DubSubmission } from './schemas.ts';
import { checkUserUrl, dubRequestOf } from './submission.ts';

export interface DubSubmitDeps {
  readonly dubbing: DubService;
  readonly blobs: Blobs;
  readonly gate: UrlGate;
  readonly decoder: AudioDecoder;
  readonly voices: VoiceCatalogue;
}

const ASSUMED_LENGTH_MS = 60_000;
const PROBED_BYTES = 16_000 * 2 * 60;

const form = defineForm(DubOptions, { file: { required: true, description: 'A recording, or a video' } });

export const ACCESS = { kind: 'key', scope: 'dub:manage' } as const;

export function submitRoutes(app: FastifyInstance, deps: DubSubmitDeps): void {
  app.post('/v1/dub', {
    config: {
      access: ACCESS,
      form: form.schema,
      formOptional: true,
      meters: true,
      idempotent: 'optional',
      errors: [
        'invalid_audio',
        'unsupported_direction',
        'voice_not_found',
        'voice_retired',
        'storage_quota_exceeded',
      ],
    },
    validatorCompiler: skipBodyOfForms(app) as never,
    schema: {
      summary: 'Dub a recording or a video into another language',
      tags: ['Dub'],
      description:
        'JSON with `audio_url`, or a form with `file`. What is said is transcribed, translated and spoken by voices like those of the speakers, in the time of the ' +
        'original; the rest of the sound stays under it, and the pictures of a video are copied as they are. Poll until `done` or `error`. A JSON submission that ' +
        'repeats an Idempotency-Key within 24 hours gets the first answer again.',
      body: DubSubmission,
      response: { 201: Dub },
    },
    handler: async (request, reply) => {
      const view = request.isMultipart() ? await submitForm(request, deps) : await submitJson(request, deps);
      return reply.code(201).send(view);
    },
  });
}

async function submitJson(request: FastifyRequest, deps: DubSubmitDeps): Promise<DubView> {
  const body = request.body as DubSubmission | undefined | null;
  if (!body) throw new ApiError('invalid_request', 'The body is empty; send JSON or multipart/form-data.');
  checkUserUrl(deps.gate, body.audio_url, 'audio_url');
  const dubRequest = await dubRequestOf(request, body, forRequests(deps));
  const idempotencyKey = (request.headers['idempotency-key'] as string | undefined) ?? null;
  return await request.once(async (keep) => {
    const id = newDubId();
    const admission = await admitDub(request, id, ASSUMED_LENGTH_MS);
    return await deps.dubbing.jobs.submit({
      id,
      principal: request.caller(),
      admission,
      source: body.source,
      target: body.target,
      request: dubRequest,
      audioUrl: body.audio_url,
      externalId: body.external_id ?? null,
      idempotencyKey,
      keep,
    });
  });
}

async function submitForm(request: FastifyRequest, deps: DubSubmitDeps): Promise<DubView> {
  const { blobs, dubbing: service } = deps;
  const principal = request.caller();
  const id = newDubId();
  const { bytes: maxBytes } = principal.limits.jobUpload;
  const payer = { ...principal, bytes: declaredBytes(request) };
  // The admission precedes the upload, so that a caller without credit stores nothing.
  const admission = await admitDub(request, id, 1);
  const { fields } = await form.read(request, {
    maxBytes,
    store: (file) => blobs.put(sourceKey(id), file.bytes, { payer, maxBytes }),
    discard: () => blobs.delete(sourceKey(id)),
  });
  try {
    const dubRequest = await dubRequestOf(request, fields, forRequests(deps));
    const seconds = await checkMedia(request, deps, id);
    await admission.recheck(Math.ceil(seconds * 1000));
    // A client that got no response sends its dub again, and would pay twice.
    request.gone.throwIfAborted();
    return await service.jobs.submit({
      id,
      principal,
      admission,
      source: fields.source,
      target: fields.target,
      request: dubRequest,
      audioUrl: null,
      externalId: fields.external_id ?? null,
      idempotencyKey: null,
      keep: async () => {},
    });
  } catch (error) {
    await blobs.delete(sourceKey(id));
    if (error instanceof BlobTooLargeError) {
      throw new ApiError('payload_too_large', `file holds more than ${maxBytes} bytes.`, { param: 'file' });
    }
    throw error;
  }
}

const forRequests = ({ dubbing: service, voices }: DubSubmitDeps) => ({
  directions: service.directions,
  voices,
});

const admitDub = (request: FastifyRequest, id: string, milliseconds: number) =>
  request.admit('dub.hearing', { milliseconds, reservationId: dubReservationId(id), resource: id });

function declaredBytes(request: FastifyRequest): number | undefined {
  const said = Number(request.headers['content-length']);
  return Number.isSafeInteger(said) && said > 0 ? said : undefined;
}

/** Rejects immediately what the beginning of the file shows to be invalid. */
async function checkMedia(
  request: FastifyRequest,
  { blobs, decoder }: DubSubmitDeps,
  id: string,
): Promise<number> {
  const { seconds: maxSeconds } = request.caller().limits.jobUpload;
  const body = await blobs.get(sourceKey(id));
  if (!body) throw new ApiError('invalid_request', 'file is required.', { param: 'file' });
  try {
    const format = { sampleRate: 16_000, channels: 'mix', sample: 's16' } as const;
    const priority = decodingPriorityOf(request.caller(), 'sync');
    const options = { ...format, maxSeconds, signal: request.gone, priority };
    const { pcm, declaredSeconds } = await decoder.decode({ stream: body.stream }, options);
    let bytes = 0;
    for await (const chunk of pcm) {
      bytes += chunk.length;
      if (bytes > PROBED_BYTES) break;
    }
    return Math.max(declaredSeconds ?? 0, bytes / 32_000);
  } finally {
    body.stream.destroy();
  }
}
