import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { noSuchVoice } from '../../../foundation/platform/no-such-voice.ts';
import { pageOfWhole, WholeQuery } from '../../../foundation/platform/pages.ts';
import { type OwnVoice, understandingOf, type VoiceStore } from '../../../speech/voices/index.ts';
import { Deleted, DesignAnswer, DesignBody, SaveBody, SavedVoice } from './schemas.ts';
import { PREVIEW_WIRE, type VoiceDesigner } from './voice-designer.ts';

const ACCESS = { kind: 'key', scope: 'speak:design' } as const;
const tags = ['Speak'];

export function designRoutes(app: FastifyInstance, store: VoiceStore, designer: VoiceDesigner): void {
  createRoute(app, designer);
  previewRoute(app, designer);
  saveRoute(app, designer);
  savedRoutes(app, store);
}

function createRoute(app: FastifyInstance, designer: VoiceDesigner): void {
  app.post<{ Body: DesignBody }>('/v1/voice/design', {
    config: { access: ACCESS },
    schema: {
      summary: 'Design voices from a description',
      description:
        'Words for gender, age, pitch, pace, warmth, liveliness and accent are used; negations and comparisons ("not deep", "warmer than his mother") are ignored. Supported accents are American, British and Indian, and those of Spanish, French, Italian and Portuguese speakers. Scottish, Irish, Welsh, Australian, New Zealand and South African accents use the nearest, British, voices; other accents have no effect. The same description and `seed` produce the same voices. Designed voices speak English.',
      tags,
      body: DesignBody,
      response: { 200: DesignAnswer },
    },
    handler: async (request) => {
      const { description } = request.body;
      const { id, candidates, expiresAt } = await designer.design(request.tenantScope(), request.body);
      return {
        id,
        object: 'voice.design' as const,
        candidates: candidates.map((candidate) => ({
          candidate_id: candidate.id,
          preview_url: `/v1/voice/design/${id}/preview/${candidate.id}`,
        })),
        ...understandingOf(description),
        expires_at: expiresAt,
      };
    },
  });
}

const MAX_METADATA_BYTES = 4096;

function previewRoute(app: FastifyInstance, designer: VoiceDesigner): void {
  app.get<{ Params: { id: string; candidate_id: string } }>('/v1/voice/design/:id/preview/:candidate_id', {
    config: { access: ACCESS, errors: ['not_found'], meters: true },
    schema: {
      summary: 'Get the preview of a candidate (mp3)',
      description:
        'The preview is synthesized and billed when it is first requested. It is then kept, free of charge, until the design expires.',
      tags,
      params: Type.Object({ id: Type.String(), candidate_id: Type.String() }),
      response: {
        200: {
          description: 'The preview of the candidate.',
          content: { 'audio/mpeg': { schema: { type: 'string', format: 'binary' } } },
        },
      },
    },
    handler: async (request, reply) => {
      const { id, candidate_id } = request.params;
      const audio = await designer.preview(request, id, candidate_id);
      return await reply.type(PREVIEW_WIRE.contentType).send(audio);
    },
  });
}

function saveRoute(app: FastifyInstance, designer: VoiceDesigner): void {
  app.post<{ Params: { id: string }; Body: SaveBody }>('/v1/voice/design/:id/save', {
    config: { access: ACCESS, envelope: 'error', errors: ['not_found'] },
    schema: {
      summary: 'Save a candidate as a voice of the organization',
      tags,
      params: Type.Object({ id: Type.String() }),
      body: SaveBody,
      response: { 200: SavedVoice },
    },
    handler: async (request) => {
      const { candidate_id, name, metadata = {} } = request.body;
      if (Buffer.byteLength(JSON.stringify(metadata)) > MAX_METADATA_BYTES) {
        throw new ApiError('invalid_request', `metadata can have at most ${MAX_METADATA_BYTES} bytes.`, {
          param: 'metadata',
        });
      }
      const scope = request.tenantScope();
      const voice = await designer.save(scope, request.params.id, candidate_id, { name, metadata });
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

function savedRoutes(app: FastifyInstance, store: VoiceStore): void {
  app.get<{ Querystring: WholeQuery }>('/v1/voice/design', {
    config: { access: ACCESS },
    schema: {
      summary: 'List saved designed voices, newest first; all of them without `limit`',
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
      summary: 'Delete a designed voice permanently',
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
