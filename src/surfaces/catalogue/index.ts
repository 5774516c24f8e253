/** GET /v1/models, /v1/voices, /v1/voices/{id}, /reference/{date}.json: all derived from the manifest and the voice table. */

import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Reach } from '../../access/contract.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Models } from '../../platform/models/index.ts';
import type { Surface } from '../../server/surface.ts';
import type { Product, StockVoices } from '../../voices/index.ts';
import { modelItems, voiceItem } from './items.ts';
import { publishedPacks } from './reference.ts';
import { ModelList, VoiceItem, VoiceList, VoiceQuery } from './schemas.ts';

/** Voices that an organization made itself: clones and designs. */
export interface OwnVoices {
  find(reach: Reach, id: string): Promise<VoiceItem | null>;
}

export interface CatalogueDeps {
  readonly models: Models;
  readonly voices: StockVoices;
  /** The products that this server really serves. */
  readonly products: readonly Product[];
  readonly ownVoices?: OwnVoices;
}

const YEAR_SECONDS = 31_536_000;
const anyKey = { kind: 'key' } as const;

function listRoutes(app: FastifyInstance, { models, voices, products }: CatalogueDeps): void {
  app.get('/v1/models', {
    config: { access: anyKey },
    schema: { summary: 'The models that requests may name', response: { 200: ModelList } },
    handler: async () => ({ object: 'list' as const, data: modelItems(models.list, voices.list) }),
  });
  app.get<{ Querystring: VoiceQuery }>('/v1/voices', {
    config: { access: anyKey },
    schema: {
      summary: 'The English stock voices',
      description: 'Voices of other languages are found by id or alias, as are cloned and designed ones.',
      querystring: VoiceQuery,
      response: { 200: VoiceList },
    },
    handler: async (request) => {
      const { region } = request.query;
      const english = voices.list.filter(
        (voice) => voice.language === 'en' && (!region || voice.region === region),
      );
      return { object: 'list' as const, data: english.map((voice) => voiceItem(voice, products)) };
    },
  });
}

function itemRoutes(app: FastifyInstance, { voices, products, ownVoices }: CatalogueDeps): void {
  app.get<{ Params: { id: string } }>('/v1/voices/:id', {
    config: { access: anyKey, errors: ['voice_not_found', 'voice_retired'] },
    schema: {
      summary: 'One voice, by id or alias',
      params: Type.Object({ id: Type.String({ maxLength: 128 }) }),
      response: { 200: VoiceItem },
    },
    handler: async (request) => {
      const own = await ownVoices?.find(request.reach(), request.params.id);
      return own ?? voiceItem(voices.resolve(request.params.id), products);
    },
  });
}

function referenceRoutes(app: FastifyInstance): void {
  const packs = publishedPacks();
  app.get<{ Params: { date: string } }>('/reference/:date.json', {
    config: { access: { kind: 'public' }, errors: ['not_found'] },
    schema: {
      summary: 'The dated pack of voices, languages and controls, for code generation',
      description: 'A pack never changes once it is published. The catalogue routes remain authoritative.',
      params: Type.Object({ date: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }) }),
    },
    handler: async (request, reply) => {
      const pack = packs.get(request.params.date);
      if (!pack)
        throw new ApiError(
          'not_found',
          `No pack was published on that day; the latest is of ${latest(packs)}.`,
        );
      reply.header('cache-control', `public, max-age=${YEAR_SECONDS}, immutable`);
      return reply.type('application/json; charset=utf-8').send(pack);
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
