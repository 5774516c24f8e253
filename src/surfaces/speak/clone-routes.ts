/** /v1/voice/clones. The embedded engine fits a similar voice out of its own styles; the answer says how similar. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { AudioDecoder } from '../../codec/index.ts';
import { ApiError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { defineForm } from '../../server/surface.ts';
import type { VoiceFitter } from './fitter.ts';
import { CloneItem, CloneList, Deleted } from './schemas.ts';
import type { OwnVoice, SpeakStore } from './store.ts';
import { readAudio } from './upload.ts';
import { cloneItem } from './voices.ts';

export interface CloneDeps {
  readonly store: SpeakStore;
  readonly fitter: VoiceFitter;
  readonly decoder: AudioDecoder;
}

const ACCESS = { kind: 'key', scope: 'speak:clone' } as const;
const tags = ['Speak'];
const MOST_BYTES = 50 * 1024 * 1024;

const form = defineForm(
  Type.Object({
    name: Type.String({ minLength: 1, maxLength: 200 }),
    consent: Type.String({ description: 'Must be `true`: the speaker has agreed to the use of their voice' }),
  }),
  { file: { required: true, description: '3 to 120 seconds of one speaker, without noise' } },
);

export function cloneRoutes(app: FastifyInstance, deps: CloneDeps): void {
  app.get('/v1/voice/clones', {
    config: { access: ACCESS },
    schema: { summary: "The organization's clones", tags, response: { 200: CloneList } },
    handler: async (request) => {
      const clones = await deps.store.clones(request.caller().orgId);
      return { object: 'list' as const, data: clones.map(cloneItem) };
    },
  });
  app.post('/v1/voice/clones', {
    config: {
      access: ACCESS,
      form: form.schema,
      errors: ['invalid_audio', 'invalid_voice_sample', 'capacity'],
    },
    schema: {
      summary: 'Make a voice similar to a recording',
      description:
        'The embedded engine does not copy a voice: it blends its own styles to the nearest that it can say, sets the pitch ' +
        'and the tilt of its spectrum, and reports the `similarity` that it reached: what comes back is a similar voice. One that came out no nearer than a stranger ' +
        'carries a `warning`. A recording is refused, with its reason, that holds no speech, less than 3 s or more than 120 s of it, noise under it, or several speakers. The voice speaks English. It works in Speak and Omni at once.',
      tags,
      response: { 201: CloneItem },
    },
    handler: async (request, reply) => {
      const voice = await clone(deps, request);
      return await reply.code(201).send(cloneItem(voice));
    },
  });
  app.delete<{ Params: { id: string } }>('/v1/voice/clones/:id', {
    config: { access: ACCESS, errors: ['voice_not_found'] },
    schema: {
      summary: 'Delete a clone, for good',
      tags,
      params: Type.Object({ id: Type.String({ maxLength: 128 }) }),
      response: { 200: Deleted },
    },
    handler: async (request) => {
      const { id } = request.params;
      if (await deps.store.deleteClone(request.caller().orgId, id)) {
        return { id, object: 'voice' as const, deleted: true as const };
      }
      throw new ApiError('voice_not_found', `There is no clone '${id}'.`, { param: 'id' });
    },
  });
}

async function clone(deps: CloneDeps, request: FastifyRequest): Promise<OwnVoice> {
  const { fields, files } = await form.read(request, {
    maxBytes: MOST_BYTES,
    store: ({ bytes }) => readAudio(deps.decoder, bytes, request.gone),
    discard: async () => {},
  });
  if (fields.consent !== 'true') {
    const message = "A clone needs the speaker's consent: send consent=true once you have it.";
    throw new ApiError('invalid_request', message, { param: 'consent' });
  }
  const fitted = await deps.fitter.fit(files.file!, request.gone);
  // Nobody would learn of the voice that was made.
  request.gone.throwIfAborted();
  return await deps.store.addVoice(request.caller().orgId, {
    id: newId('vc'),
    name: fields.name,
    source: 'clone',
    engine: fitted.voice,
    meta: fitted.measured,
  });
}
