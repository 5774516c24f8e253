import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../../foundation/platform/errors.ts';
import type { DubView } from '../../../products/dub/index.ts';
import { defineForm, skipBodyOfForms } from '../../server/surface.ts';
import type { DubClient } from './dub-client.ts';
import { Dub, DubOptions, DubSubmission } from './schemas.ts';

const form = defineForm(DubOptions, { file: { required: true, description: 'A recording or a video.' } });

export const ACCESS = { kind: 'key', scope: 'dub:manage' } as const;

export function submitRoutes(app: FastifyInstance, client: DubClient): void {
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
        'Send JSON with `audio_url`, or a form with `file`. The speech is transcribed, translated and synthesized with voices similar to those of the speakers, timed to the original. Background sound is kept, and the picture of a video is copied unchanged. Poll the dub until its status is `done` or `error`. A JSON request that repeats an Idempotency-Key within 24 hours returns the first response.',
      body: DubSubmission,
      response: { 201: Dub },
    },
    handler: async (request, reply) => {
      const view = request.isMultipart()
        ? await submitForm(request, client)
        : await submitJson(request, client);
      return reply.code(201).send(view);
    },
  });
}

async function submitJson(request: FastifyRequest, client: DubClient): Promise<DubView> {
  const body = request.body as DubSubmission | undefined | null;
  if (!body) throw new ApiError('invalid_request', 'The body is empty; send JSON or multipart/form-data.');
  return await client.submitUrl(request, body);
}

const submitForm = async (request: FastifyRequest, client: DubClient): Promise<DubView> => {
  const { dub } = await client.submitForm(request, async (reading) => {
    const { fields } = await form.read(request, reading);
    return { options: fields, url: null };
  });
  return dub;
};
