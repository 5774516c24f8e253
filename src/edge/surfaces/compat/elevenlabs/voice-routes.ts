import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { grants } from '../../../../foundation/access/index.ts';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import { noSuchVoice } from '../../../../foundation/platform/no-such-voice.ts';
import type { OwnVoice, StockVoices, Voice, VoiceStore } from '../../../../speech/voices/index.ts';
import { elevenLabsVoice, elevenLabsVoices } from '../stock-voices.ts';
import { VoiceModel } from './schemas.ts';

const config = { access: { kind: 'key' }, vendor: 'elevenlabs' } as const;
const tags = ['ElevenLabs clients'];

type ShownVoice = Static<typeof VoiceModel>;

const show = (voice: Voice): ShownVoice => ({
  voice_id: voice.id,
  name: voice.name,
  category: 'premade',
  labels: { language: voice.language, gender: voice.gender ?? '', accent: voice.region ?? '' },
  description: `${voice.name}, ${voice.language}`,
  available_for_tiers: [],
  is_owner: false,
});

export const showOwn = (voice: OwnVoice): ShownVoice => ({
  voice_id: voice.id,
  name: voice.name,
  category: voice.source === 'clone' ? 'cloned' : 'generated',
  labels: { language: voice.engine.language },
  description: String(voice.meta.description ?? ''),
  available_for_tiers: [],
  is_owner: true,
});

/** Version 1 of their Python client finds a voice by its name among these. */
const standIns = (voices: StockVoices): ShownVoice[] =>
  elevenLabsVoices().flatMap(({ id, name, ours }) => {
    const voice = voices.find(ours);
    return voice && isSpoken(voice) ? [{ ...show(voice), voice_id: id, name }] : [];
  });

const isSpoken = (voice: Voice): boolean => voice.available_on.includes('speak');

type OwnVoices = Pick<VoiceStore, 'voice' | 'clones' | 'designed'>;

export function voiceRoutes(app: FastifyInstance, voices: StockVoices, ownVoices: OwnVoices): void {
  /** A key sees the voices of its tenant that it may make. */
  const all = async (request: FastifyRequest): Promise<ShownVoice[]> => {
    const { scopes } = request.caller();
    const scope = request.tenantScope();
    const own = await Promise.all([
      grants(scopes, 'speak:clone') ? ownVoices.clones(scope) : [],
      grants(scopes, 'speak:design') ? ownVoices.designed(scope) : [],
    ]);
    return [...own.flat().map(showOwn), ...voices.list.filter(isSpoken).map(show)];
  };
  app.get<{ Querystring: { show_legacy?: unknown } }>('/elevenlabs/v1/voices', {
    config,
    schema: {
      summary: 'List custom and stock voices, in ElevenLabs’ format',
      tags,
      operationId: 'elevenlabs_voices',
      querystring: Type.Object({
        show_legacy: Type.Optional(
          Type.Unsafe<unknown>({
            description:
              '`true` lists ElevenLabs’ default voices, too, by their names; a similar voice speaks.',
          }),
        ),
      }),
      response: { 200: Type.Object({ voices: Type.Array(VoiceModel) }) },
    },
    handler: async (request) => ({
      voices: [
        ...(await all(request)),
        ...(String(request.query.show_legacy) === 'true' ? standIns(voices) : []),
      ],
    }),
  });
  searchRoute(app, all);
  app.get<{ Params: { voice_id: string } }>('/elevenlabs/v1/voices/:voice_id', {
    config: { ...config, errors: ['voice_not_found', 'voice_retired'] },
    schema: {
      summary: 'Retrieve a voice, in ElevenLabs’ format',
      tags,
      operationId: 'elevenlabs_voice',
      params: Type.Object({ voice_id: Type.String({ examples: ['heart_en_us'] }) }),
      querystring: Type.Object({
        with_settings: Type.Optional(
          Type.Unsafe<unknown>({ description: 'Accepted for compatibility; has no effect.' }),
        ),
      }),
      response: { 200: VoiceModel },
    },
    handler: async (request) => {
      const { voice_id: id } = request.params;
      const own = await ownVoices.voice(request.tenantScope(), id);
      if (own !== null) return showOwn(own);
      const voice = voices.find(elevenLabsVoice(id));
      if (!voice || !isSpoken(voice)) throw noSuchVoice();
      return show(voice);
    },
  });
}

const SearchQuery = Type.Object({
  search: Type.Optional(Type.String({ maxLength: 128, description: 'Part of a name, language or accent.' })),
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
  next_page_token: Type.Optional(Type.String({ maxLength: 16 })),
  sort: Type.Optional(
    Type.Unsafe<unknown>({
      description: 'Accepted for compatibility; voices are always in catalogue order.',
    }),
  ),
  sort_direction: Type.Optional(
    Type.Unsafe<unknown>({ description: 'Accepted for compatibility; has no effect.' }),
  ),
  voice_type: Type.Optional(
    Type.Unsafe<unknown>({ description: 'Accepted for compatibility; has no effect.' }),
  ),
  category: Type.Optional(
    Type.Unsafe<unknown>({ description: 'Accepted for compatibility; has no effect.' }),
  ),
  include_total_count: Type.Optional(
    Type.Unsafe<unknown>({ description: 'Accepted for compatibility; the total count is always included.' }),
  ),
});

function searchRoute(app: FastifyInstance, all: (request: FastifyRequest) => Promise<ShownVoice[]>): void {
  app.get<{ Querystring: { search?: string; page_size?: number; next_page_token?: string } }>(
    '/elevenlabs/v2/voices',
    {
      config,
      schema: {
        summary: 'Search voices, in ElevenLabs’ format',
        tags,
        operationId: 'elevenlabs_voices_search',
        querystring: SearchQuery,
        response: {
          200: Type.Object({
            voices: Type.Array(VoiceModel),
            has_more: Type.Boolean(),
            total_count: Type.Integer(),
            next_page_token: Type.Union([Type.String(), Type.Null()]),
          }),
        },
      },
      handler: async (request) => {
        const { query } = request;
        const asked = (query.search ?? '').toLowerCase();
        const found = (await all(request)).filter((voice) =>
          JSON.stringify(voice).toLowerCase().includes(asked),
        );
        const from = pageStart(query.next_page_token);
        const to = from + (query.page_size ?? 10);
        const more = to < found.length;
        return {
          voices: found.slice(from, to),
          has_more: more,
          total_count: found.length,
          next_page_token: more ? String(to) : null,
        };
      },
    },
  );
}

function pageStart(token: string | undefined): number {
  if (token === undefined || token === '') return 0;
  if (/^\d{1,6}$/.test(token)) return Number(token);
  throw new ApiError('invalid_request', 'next_page_token must be the next_page_token of a previous page.', {
    param: 'next_page_token',
  });
}
