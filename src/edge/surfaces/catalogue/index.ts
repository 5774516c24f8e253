import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { TenantScope } from '../../../foundation/access/contract.ts';
import { ApiError, NoSuchError } from '../../../foundation/platform/errors.ts';
import { modelNamed } from '../../../foundation/platform/model-names.ts';
import type { Models } from '../../../foundation/platform/models/index.ts';
import { noSuchVoice } from '../../../foundation/platform/no-such-voice.ts';
import type { Product, StockVoices } from '../../../speech/voices/index.ts';
import type { Surface } from '../../server/surface.ts';
import { modelItems, voiceItem } from './items.ts';
import { publishedPacks } from './reference.ts';
import {
  ModelItem,
  ModelList,
  ModelParams,
  ReferencePack,
  SpokenVoices,
  VoiceItem,
  VoiceList,
  VoiceQuery,
} from './schemas.ts';
import { queryVoices } from './voice-query.ts';

export interface CustomVoices {
  find(scope: TenantScope, id: string): Promise<VoiceItem | null>;
}

export interface CatalogueDeps {
  readonly models: Models;
  readonly voices: StockVoices;
  readonly products: readonly Product[];
  readonly customVoices?: CustomVoices;
}

const tags = ['Catalogue'];
const HOUR_SECONDS = 3600;
const passThrough = (bytes: unknown) => bytes as string;
const YEAR_SECONDS = 31_536_000;
const anyKey = { kind: 'key' } as const;

function listRoutes(app: FastifyInstance, { models, voices, products }: CatalogueDeps): void {
  app.get('/v1/models', {
    config: { access: anyKey },
    schema: { summary: 'List models', tags, response: { 200: ModelList } },
    handler: async () => ({ object: 'list' as const, data: modelItems(models.list, voices.list) }),
  });
  app.get<{ Params: { id: string } }>('/v1/models/:id', {
    config: { access: anyKey },
    schema: {
      summary: 'Retrieve a model by ID or alias',
      tags,
      params: ModelParams,
      response: { 200: ModelItem },
    },
    handler: async (request) => {
      const id = modelNamed(request.params.id);
      const model = modelItems(models.list, voices.list).find((one) => one.id === id);
      if (!model)
        throw new NoSuchError('model; GET /v1/models lists the models', {
          param: 'id',
        });
      return model;
    },
  });
  app.get<{ Querystring: VoiceQuery }>('/v1/voices', {
    config: { access: anyKey },
    schema: {
      summary: 'List stock voices',
      description:
        'Returns English voices by default; set `language` to another language or to `all`. Cloned and designed voices are not listed; retrieve them by ID.',
      tags,
      querystring: VoiceQuery,
      response: { 200: VoiceList },
    },
    handler: async (request) => ({
      object: 'list' as const,
      data: queryVoices(voices.list, request.query).map((voice) => voiceItem(voice, products)),
    }),
  });
  app.get('/v1/audio/voices', {
    config: { access: anyKey },
    schema: {
      summary: 'List the stock voices of all languages in the format of OpenAI-compatible speech servers',
      tags,
      response: { 200: SpokenVoices },
    },
    handler: async () => ({
      object: 'list' as const,
      voices: voices.list
        .filter((voice) => voice.available_on.includes('speak'))
        .map(({ id, name, language }) => ({ id, name, language })),
    }),
  });
}

function itemRoutes(
  app: FastifyInstance,
  { voices, products, customVoices: ownVoices }: CatalogueDeps,
): void {
  app.get<{ Params: { id: string } }>('/v1/voices/:id', {
    config: { access: anyKey, errors: ['voice_not_found', 'voice_retired'] },
    schema: {
      summary: 'Retrieve a voice by ID or alias',
      tags,
      params: Type.Object({ id: Type.String({ examples: ['en1'] }) }),
      response: { 200: VoiceItem },
    },
    handler: async (request) => {
      const own = await ownVoices?.find(request.tenantScope(), request.params.id);
      return own ?? voiceItem(stockVoice(voices, request.params.id), products);
    },
  });
}

function stockVoice(voices: StockVoices, name: string) {
  try {
    return voices.resolve(name);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'voice_not_found') throw noSuchVoice();
    throw error;
  }
}

function referenceRoutes(app: FastifyInstance): void {
  const packs = publishedPacks();
  app.get<{ Params: { date: string } }>('/reference/:date.json', {
    config: { access: { kind: 'public' }, errors: ['not_found'] },
    schema: {
      summary: 'Get a dated pack of voices, languages and controls for code generation',
      description: 'A published pack never changes. The catalogue routes remain authoritative.',
      tags,
      params: Type.Object({
        date: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', examples: ['2026-11-22'] }),
      }),
      response: { 200: ReferencePack },
    },
    handler: async (request, reply) => {
      const pack = packs.get(request.params.date);
      if (!pack)
        throw new ApiError(
          'not_found',
          `No pack was published on that day; the latest pack is from ${latest(packs)}.`,
        );
      reply.header('cache-control', `public, max-age=${YEAR_SECONDS}, immutable`);
      return reply.type('application/json; charset=utf-8').serializer(passThrough).send(pack);
    },
  });
  app.get('/reference/latest.json', {
    config: { access: { kind: 'public' }, errors: ['not_found'] },
    schema: {
      summary: 'Get the newest dated pack',
      description: 'Its `date` identifies it. The response changes when another pack is published.',
      tags,
      response: { 200: ReferencePack },
    },
    handler: async (_request, reply) => {
      const pack = packs.get(latest(packs));
      if (!pack) throw new ApiError('not_found', 'No pack has been published yet.');
      reply.header('cache-control', `public, max-age=${HOUR_SECONDS}`);
      return reply.type('application/json; charset=utf-8').serializer(passThrough).send(pack);
    },
  });
}

const latest = (packs: ReadonlyMap<string, Buffer>): string =>
  [...packs.keys()].sort().at(-1) ?? 'no day yet';

export const createCatalogueSurface = (deps: CatalogueDeps): Surface => ({
  name: 'catalogue',
  routes: (app) => {
    listRoutes(app, deps);
    itemRoutes(app, deps);
    referenceRoutes(app);
  },
});
