import { randomInt } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { TenantScope } from '../../../foundation/access/contract.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { newId } from '../../../foundation/platform/ids.ts';
import { noSuchVoice } from '../../../foundation/platform/no-such-voice.ts';
import { pageOfWhole, WholeQuery } from '../../../foundation/platform/pages.ts';
import { capacityShareOf, type Engine } from '../../../media/engine/index.ts';
import {
  type Candidate,
  type Design,
  designVoices,
  estimatedMs,
  type OwnVoice,
  understandingOf,
  type VoiceCatalogue,
  type VoiceStore,
} from '../../../speech/voices/index.ts';
import { outputFormatOf } from './output-format.ts';
import { Deleted, DesignAnswer, DesignBody, SaveBody, SavedVoice } from './schemas.ts';
import { hasSpeakableText, noSpeakableTextError, Speech } from './speech.ts';
import type { SpeechStore } from './speech-store.ts';

export interface DesignDeps {
  readonly engine: Engine;
  readonly voices: Pick<VoiceCatalogue, 'marked'>;
  readonly store: VoiceStore;
  readonly speechStore: SpeechStore;
  readonly clock: Clock;
}

const ACCESS = { kind: 'key', scope: 'speak:design' } as const;
const tags = ['Speak'];
const DESIGN_LIFETIME_MS = 24 * 3600 * 1000;
const SEEDS = 4_294_967_296;
const PREVIEW_TEXT = 'Hello, and thank you for calling. This is how I sound. How can I help you today?';

export function designRoutes(app: FastifyInstance, deps: DesignDeps): void {
  createRoute(app, deps);
  previewRoute(app, deps);
  saveRoute(app, deps);
  savedRoutes(app, deps);
}

function createRoute(app: FastifyInstance, { store, clock }: DesignDeps): void {
  app.post<{ Body: DesignBody }>('/v1/voice/design', {
    config: { access: ACCESS },
    schema: {
      summary: 'Design voices from a description',
      description:
        'Words for gender, age, pitch, pace, warmth, liveliness and accent have an effect where they stand: what is denied or compared ' +
        '("not deep", "warmer than his mother") asks for nothing. Accents are American, British and Indian, and those of speakers of Spanish, ' +
        'French, Italian and Portuguese, by their voices. Scottish, Irish, Welsh, Australian, New Zealand and South African are spoken by British ' +
        'voices, the nearest; other accents have no effect. The same description and `seed` give the same voices. Designed voices speak English.',
      tags,
      body: DesignBody,
      response: { 200: DesignAnswer },
    },
    handler: async (request) => {
      const { description, text = PREVIEW_TEXT, candidates = 3, seed = randomInt(SEEDS) } = request.body;
      if (description.trim() === '') {
        throw new ApiError('invalid_request', 'The description is empty.', { param: 'description' });
      }
      if (!hasSpeakableText(text)) throw noSpeakableTextError('text');
      const id = newId('vdr');
      const expiresAt = clock.now() + DESIGN_LIFETIME_MS;
      const made: Candidate[] = designVoices(description, candidates, seed).map((engine) => ({
        id: newId('cand'),
        engine,
      }));
      await store.addDesign(request.tenantScope(), { id, description, text, candidates: made, expiresAt });
      return {
        id,
        object: 'voice.design' as const,
        candidates: made.map((candidate) => ({
          candidate_id: candidate.id,
          preview_url: `/v1/voice/design/${id}/preview/${candidate.id}`,
        })),
        ...understandingOf(description),
        expires_at: expiresAt,
      };
    },
  });
}

/** An unknown, malformed, expired and foreign candidate get the same error. */
const notFound = (): ApiError => new ApiError('not_found', 'There is no such candidate.');

async function findCandidate(store: VoiceStore, scope: TenantScope, designId: string, candidateId: string) {
  const design = await store.design(scope, designId);
  const candidate = design?.candidates.find(({ id }) => id === candidateId);
  if (!design || !candidate) throw notFound();
  return { design, candidate };
}

const MAX_METADATA_BYTES = 4096;

const PREVIEW_WIRE = outputFormatOf('mp3', undefined, null);

/**
 * The first request for a candidate synthesizes it, and is admitted and billed as any speech; later ones get the
 * stored audio.
 */
async function render(
  { engine, voices, speechStore: spoken }: DesignDeps,
  request: FastifyRequest,
  design: Design,
  candidate: Candidate,
): Promise<Buffer> {
  const admission = await request.admit('speak.preview', { milliseconds: estimatedMs(design.text) });
  const { id } = candidate;
  const voice = await voices.marked(request.tenantScope(), candidate.engine);
  const { language } = voice;
  const speech = await Speech.begin(engine, {
    text: design.text,
    voice: { id, name: id, language, tier: 'natural', emotions: ['neutral'], engine: voice },
    wire: PREVIEW_WIRE,
    manner: {},
    share: capacityShareOf(request.caller().environment),
    signal: request.gone,
  });
  const audio = await speech.whole();
  request.gone.throwIfAborted();
  const characters = [...design.text].length;
  const preview = {
    use: 'speak.preview' as const,
    hold: admission.reservationId,
    id,
    voiceId: id,
    characters,
    milliseconds: speech.milliseconds,
    complete: true,
  };
  await spoken.storePreview(request.caller(), preview, audio, design.expiresAt);
  return audio;
}

function previewRoute(app: FastifyInstance, deps: DesignDeps): void {
  app.get<{ Params: { id: string; candidate_id: string } }>('/v1/voice/design/:id/preview/:candidate_id', {
    config: { access: ACCESS, errors: ['not_found'], meters: true },
    schema: {
      summary: 'Hear a candidate (mp3)',
      description:
        'Spoken and billed, as any speech, when it is first asked for; kept, and free to hear again, until the design expires.',
      tags,
      params: Type.Object({ id: Type.String(), candidate_id: Type.String() }),
      response: {
        200: {
          description: 'The candidate, speaking',
          content: { 'audio/mpeg': { schema: { type: 'string', format: 'binary' } } },
        },
      },
    },
    handler: async (request, reply) => {
      const { id, candidate_id } = request.params;
      const scope = request.tenantScope();
      const { design, candidate } = await findCandidate(deps.store, scope, id, candidate_id);
      const preview = await deps.speechStore.preview(scope, candidate.id);
      const audio = preview ?? (await render(deps, request, design, candidate));
      return await reply.type(PREVIEW_WIRE.contentType).send(audio);
    },
  });
}

function saveRoute(app: FastifyInstance, { store }: DesignDeps): void {
  app.post<{ Params: { id: string }; Body: SaveBody }>('/v1/voice/design/:id/save', {
    config: { access: ACCESS, envelope: 'error', errors: ['not_found'] },
    schema: {
      summary: 'Keep a candidate as a voice of the organization',
      tags,
      params: Type.Object({ id: Type.String() }),
      body: SaveBody,
      response: { 200: SavedVoice },
    },
    handler: async (request) => {
      const { candidate_id, name, metadata = {} } = request.body;
      if (Buffer.byteLength(JSON.stringify(metadata)) > MAX_METADATA_BYTES) {
        throw new ApiError('invalid_request', `metadata holds at most ${MAX_METADATA_BYTES} bytes.`, {
          param: 'metadata',
        });
      }
      const scope = request.tenantScope();
      const { design, candidate } = await findCandidate(store, scope, request.params.id, candidate_id);
      const voice = await store.addVoice(scope, {
        id: newId('vd'),
        name,
        source: 'design',
        engine: candidate.engine,
        meta: { description: design.description, metadata },
      });
      return { voice_id: voice.id, name: voice.name, source: 'design' as const };
    },
  });
}

const DesignedItem = Type.Object({
  id: Type.String(),
  object: Type.Literal('voice'),
  name: Type.String(),
  source: Type.Literal('design'),
  description: Type.String(),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  created_at: Type.Integer(),
});

const designedItem = (voice: OwnVoice) => ({
  id: voice.id,
  object: 'voice' as const,
  name: voice.name,
  source: 'design' as const,
  description: String(voice.meta.description ?? ''),
  metadata: (voice.meta.metadata ?? {}) as Record<string, unknown>,
  created_at: voice.createdAt,
});

function savedRoutes(app: FastifyInstance, { store }: DesignDeps): void {
  app.get<{ Querystring: WholeQuery }>('/v1/voice/design', {
    config: { access: ACCESS },
    schema: {
      summary: 'Designed voices that were saved, newest first; all of them without `limit`',
      tags,
      querystring: WholeQuery,
      response: {
        200: Type.Object({
          object: Type.Literal('list'),
          data: Type.Array(DesignedItem),
          next_cursor: Type.Union([Type.String(), Type.Null()]),
        }),
      },
    },
    handler: async (request) => {
      const voices = await store.designed(request.tenantScope());
      return pageOfWhole(voices, request.query, ({ id }) => id, designedItem);
    },
  });
  app.delete<{ Params: { id: string } }>('/v1/voice/designs/:id', {
    config: { access: ACCESS, errors: ['voice_not_found'] },
    schema: {
      summary: 'Delete a designed voice, for good',
      tags,
      params: Type.Object({ id: Type.String() }),
      response: { 200: Deleted },
    },
    handler: async (request) => {
      const { id } = request.params;
      if (!(await store.deleteDesigned(request.tenantScope(), id))) {
        throw noSuchVoice();
      }
      return { id, object: 'voice' as const, deleted: true as const };
    },
  });
}
