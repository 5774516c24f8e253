import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { noSuchVoice } from '../../../foundation/platform/no-such-voice.ts';
import { cloneItem, type OwnVoice, type VoiceStore } from '../../../speech/voices/index.ts';
import { defineForm } from '../../server/surface.ts';
import { CloneItem, CloneList, Deleted } from './schemas.ts';
import { MAX_RECORDING_BYTES, type VoiceCloner } from './voice-cloner.ts';

const ACCESS = { kind: 'key', scope: 'speak:clone' } as const;
const tags = ['Speak'];

const form = defineForm(
  Type.Object({
    name: Type.String({ minLength: 1, maxLength: 200 }),
    consent: Type.String({
      description: 'Must be `true`: confirms that the speaker has consented to the use of their voice.',
      examples: ['true'],
    }),
  }),
  {
    file: { required: true, description: 'A recording of one speaker without noise, 3 to 120 seconds long.' },
  },
);

export function cloneRoutes(app: FastifyInstance, store: VoiceStore, cloner: VoiceCloner): void {
  app.get('/v1/voice/clones', {
    config: { access: ACCESS },
    schema: { summary: 'List the organization’s cloned voices', tags, response: { 200: CloneList } },
    handler: async (request) => {
      const clones = await store.clones(request.tenantScope());
      return { object: 'list' as const, data: clones.map(cloneItem) };
    },
  });
  app.post('/v1/voice/clones', {
    config: {
      access: ACCESS,
      form: form.schema,
      meters: true,
      errors: ['invalid_audio', 'invalid_voice_sample'],
    },
    schema: {
      summary: 'Create a voice that is similar to a recording',
      description:
        'The embedded engine does not copy a voice. It blends its own styles to the nearest similar voice, adjusts pitch and spectral tilt, and returns the `similarity` to the speaker. A voice that is no more similar than a stranger’s carries a `warning`. A recording is rejected, with the reason, if it contains no speech, less than 3 s or more than 120 s of speech, background noise or several speakers. The voice speaks English and can be used in Speak and Omni immediately.',
      tags,
      response: { 201: CloneItem },
    },
    handler: async (request, reply) => {
      const voice = await clone(cloner, request);
      return await reply.code(201).send(cloneItem(voice));
    },
  });
  app.delete<{ Params: { id: string } }>('/v1/voice/clones/:id', {
    config: { access: ACCESS, errors: ['voice_not_found'] },
    schema: {
      summary: 'Delete a cloned voice permanently',
      tags,
      params: Type.Object({ id: Type.String() }),
      response: { 200: Deleted },
    },
    handler: async (request) => {
      const { id } = request.params;
      if (await store.deleteClone(request.tenantScope(), id)) {
        return { id, object: 'voice' as const, deleted: true as const };
      }
      throw noSuchVoice();
    },
  });
}

async function clone(cloner: VoiceCloner, request: FastifyRequest): Promise<OwnVoice> {
  const { fields, files } = await form.read(request, {
    maxBytes: MAX_RECORDING_BYTES,
    store: ({ bytes }) => cloner.keep(bytes),
    discard: (upload) => upload.discard(),
  });
  const upload = files.file!;
  try {
    if (fields.consent !== 'true') {
      const message = 'A clone requires the speaker’s consent: set consent=true once you have it.';
      throw new ApiError('invalid_request', message, { param: 'consent' });
    }
    return await cloner.clone(request, fields.name, [upload.path]);
  } finally {
    await upload.discard();
  }
}
