/** Customers' own keys of external speech services, which their calls use. */
import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { tenantScopeIn } from '../../../foundation/access/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { pageOfWhole, WholeQuery } from '../../../foundation/platform/pages.ts';
import { PlainText } from '../../../foundation/platform/plain-text.ts';
import { HEAR_LANGUAGES } from '../../../media/engine/index.ts';
import { MOST_KEYS, type ProviderKey, type ProviderKeys } from '../../../speech/provider-keys/index.ts';
import { RECOGNITION_KINDS, VOICE_KINDS } from '../../../speech/providers/index.ts';
import type { Surface } from '../../server/surface.ts';

const READS = { kind: 'member', scope: 'omni:manage' } as const;
const MANAGES = { kind: 'member', scope: 'omni:manage', role: 'developer' } as const;
const tags = ['Omni'];

const Project = {
  project_id: Type.Optional(
    Type.String({ maxLength: 64, description: 'Defaults to the first project of the user.' }),
  ),
  environment: Type.Optional(Type.Enum(['live', 'sandbox'])),
};
const ProjectQuery = Type.Object(Project);
type ProjectQuery = Static<typeof ProjectQuery>;
const ListQuery = Type.Object({ ...WholeQuery.properties, ...Project });

const Params = Type.Object({ id: Type.String({ maxLength: 256 }) });

const KINDS = [...new Set([...VOICE_KINDS, ...RECOGNITION_KINDS])];
const Voice = PlainText(256, 'The service’s name of the voice.');
const Body = Type.Object(
  {
    purpose: Type.Enum(['voice', 'recognition']),
    name: Type.String({
      pattern: '^[A-Za-z0-9_.-]{1,64}$',
      description:
        'The name that agents use in `voice_provider` or `recognizer`. `default` applies to agents that name none.',
      examples: ['default'],
    }),
    kind: Type.Enum(KINDS, { description: 'The API of the service. `elevenlabs` supports `voice` only.' }),
    key: Type.String({
      pattern: '^[!-~]{1,512}$',
      description: 'The API key of the service. It is encrypted at rest and never returned.',
    }),
    url: Type.Optional(
      Type.String({
        maxLength: 2048,
        pattern: '^https?://.',
        description: 'A public HTTPS URL. Defaults to the vendor’s own API.',
      }),
    ),
    model: Type.Optional(PlainText(256, 'The service’s name of the model.')),
    voice: Type.Optional(Voice),
    voices: Type.Optional(
      Type.Record(Type.String({ pattern: '^[a-z]{2,3}$' }), Voice, {
        minProperties: 1,
        maxProperties: 50,
        description: 'Voices by language. Other languages use `voice`, or this server.',
      }),
    ),
    rate: Type.Optional(
      Type.Integer({
        minimum: 8_000,
        maximum: 48_000,
        description: 'The sample rate of its raw PCM16 in Hz. Defaults to 24000.',
      }),
    ),
    languages: Type.Optional(
      Type.Array(Type.Enum([...HEAR_LANGUAGES]), {
        minItems: 1,
        maxItems: HEAR_LANGUAGES.length,
        description: 'The languages to send to the service. Defaults to all.',
      }),
    ),
  },
  { additionalProperties: false },
);
type Body = Static<typeof Body>;

const View = Type.Object({
  id: Type.String(),
  object: Type.Literal('provider_key'),
  purpose: Type.Enum(['voice', 'recognition']),
  name: Type.String(),
  kind: Type.String(),
  url: Type.String(),
  model: Type.Union([Type.String(), Type.Null()]),
  voice: Type.Union([Type.String(), Type.Null()]),
  voices: Type.Record(Type.String(), Type.String()),
  rate: Type.Union([Type.Integer(), Type.Null()]),
  languages: Type.Union([Type.Array(Type.String()), Type.Null()]),
  allowed: Type.Boolean({ description: 'False if the operator does not permit keys of this kind.' }),
  created_at: Type.Integer({ description: 'Unix time in milliseconds.' }),
  updated_at: Type.Integer(),
});

const HOMES: Readonly<Record<string, string>> = {
  openai: 'https://api.openai.com/v1',
  deepgram: 'https://api.deepgram.com',
  elevenlabs: 'https://api.elevenlabs.io',
};

const show = ({ id, purpose, name, kind, settings, isAllowed, createdAt, updatedAt }: ProviderKey) => ({
  id,
  object: 'provider_key' as const,
  purpose,
  name,
  kind,
  url: settings.url,
  model: settings.model ?? null,
  voice: settings.voice ?? null,
  voices: { ...settings.voices },
  rate: settings.rate ?? null,
  languages: settings.languages === undefined ? null : [...settings.languages],
  allowed: isAllowed,
  created_at: createdAt,
  updated_at: updatedAt,
});

export const createProvidersSurface = (keys: ProviderKeys): Surface => ({
  name: 'providers',
  routes: (app) => {
    listRoute(app, keys);
    storeRoute(app, keys);
    deleteRoute(app, keys);
  },
  stop: async () => keys.stop(),
});

function listRoute(app: FastifyInstance, keys: ProviderKeys): void {
  app.get<{ Querystring: Static<typeof ListQuery> }>('/v1/provider-keys', {
    config: { access: READS, errors: ['not_found'] },
    schema: {
      summary: 'List your provider keys, newest first',
      tags,
      querystring: ListQuery,
      response: {
        200: Type.Object({
          object: Type.Literal('list'),
          data: Type.Array(View),
          next_cursor: Type.Union([Type.String(), Type.Null()]),
        }),
      },
    },
    handler: async (request) => {
      const all = await keys.list(tenantScopeIn(request.caller(), request.query));
      return pageOfWhole(all, request.query, ({ id }) => id, show);
    },
  });
}

function storeRoute(app: FastifyInstance, keys: ProviderKeys): void {
  app.post<{ Querystring: ProjectQuery; Body: Body }>('/v1/provider-keys', {
    config: { access: MANAGES, errors: ['not_found', 'version_conflict'] },
    schema: {
      summary: 'Create a provider key, or replace the one of the same purpose and name',
      description: `Calls use the speech service with your key, and fall back to this server. A replaced key is not used in further turns of running calls; new calls use the new key. A project has at most ${MOST_KEYS} keys in each environment.`,
      tags,
      querystring: ProjectQuery,
      body: Body,
      response: { 200: View },
    },
    handler: async (request, reply) => {
      const { purpose, name, kind, key, url = HOMES[kind] as string, ...settings } = request.body;
      checkPurpose(request.body);
      const scope = tenantScopeIn(request.caller(), request.query);
      const said = { purpose, name, kind, key, settings: { url, ...settings } };
      reply.header('cache-control', 'no-store');
      return show(await keys.put(scope, said, request.doer()));
    },
  });
}

const OF_VOICES = ['voice', 'voices', 'rate'] as const;

function checkPurpose(body: Body): void {
  const wrong = (param: string, message: string) => new ApiError('invalid_request', message, { param });
  if (body.purpose === 'voice') {
    if (body.languages !== undefined)
      throw wrong(
        'languages',
        'languages applies to the purpose recognition alone; for a voice, set voices by language.',
      );
    if (body.voice === undefined && body.voices === undefined)
      throw wrong('voice', 'Name the voice: voice, or voices by language.');
    return;
  }
  const odd = OF_VOICES.find((field) => body[field] !== undefined);
  if (odd !== undefined) throw wrong(odd, `${odd} belongs to a key whose purpose is voice.`);
}

function deleteRoute(app: FastifyInstance, keys: ProviderKeys): void {
  app.delete<{ Params: Static<typeof Params>; Querystring: ProjectQuery }>('/v1/provider-keys/:id', {
    config: { access: MANAGES, errors: ['not_found'] },
    schema: {
      summary: 'Delete a provider key',
      description: 'From the next turn, running calls use the speech models of this server instead.',
      tags,
      params: Params,
      querystring: ProjectQuery,
      response: {
        200: Type.Object({
          id: Type.String(),
          object: Type.Literal('provider_key'),
          deleted: Type.Literal(true),
        }),
      },
    },
    handler: async (request) => {
      const { id } = request.params;
      const scope = tenantScopeIn(request.caller(), request.query);
      if (!(await keys.remove(scope, id, request.doer())))
        throw new ApiError('not_found', 'You have no such provider key.');
      return { id, object: 'provider_key' as const, deleted: true as const };
    },
  });
}
