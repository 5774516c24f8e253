import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import { pageOf, pageStart } from '../../../../foundation/platform/pages.ts';
import { type DubJobs, type DubView, SOURCES, TARGETS } from '../../../../products/dub/index.ts';
import { defineForm, type FormReadOptions } from '../../../server/surface.ts';
import { Ignored } from './schemas.ts';

type Source = (typeof SOURCES)[number];
type Target = (typeof TARGETS)[number];

interface DubForm {
  readonly options: { readonly source: Source; readonly target: Target; readonly consent: boolean };
  readonly url: { readonly href: string; readonly param: string } | null;
}

export interface DubbingDeps {
  readonly dubs: {
    readonly jobs: DubJobs;
    submitForm(
      request: FastifyRequest,
      readForm: (reading: FormReadOptions<unknown>) => Promise<DubForm>,
    ): Promise<{ readonly dub: DubView; readonly seconds: number | null }>;
    sendFile(request: FastifyRequest, reply: FastifyReply, id: string): Promise<FastifyReply>;
  };
}

const tags = ['ElevenLabs clients'];
const config = { access: { kind: 'key', scope: 'dub:manage' }, vendor: 'elevenlabs' } as const;

const Language = (example: string, summary: string) =>
  Type.String({ maxLength: 16, description: summary, examples: [example] });
const form = defineForm(
  Type.Object({
    source_lang: Type.Optional(
      Language('es', `The source language, one of ${SOURCES.join(', ')}. It is not detected.`),
    ),
    target_lang: Language(
      'en',
      `The target language, one of ${TARGETS.join(', ')}. GET /healthz/dub lists the currently available languages.`,
    ),
    source_url: Type.Optional(
      Type.String({
        maxLength: 2048,
        description: 'HTTPS URL of the recording or video, if no file is sent.',
      }),
    ),
    consent: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether the speakers have consented to voices similar to theirs. Needs the scope speak:clone.',
      }),
    ),
  }),
  { file: { required: false, description: 'A recording or a video.' } },
);

const Dubbing = Type.Object({
  dubbing_id: Type.String(),
  name: Type.String({ description: 'The ID of the dub; names are not stored.' }),
  status: Type.Enum(['dubbing', 'dubbed', 'failed']),
  source_language: Type.String(),
  target_languages: Type.Array(Type.String()),
  editable: Type.Literal(false),
  created_at: Type.String({ format: 'date-time' }),
  media_metadata: Type.Optional(Type.Object({ content_type: Type.String(), duration: Type.Number() })),
  error: Type.Union([Type.String(), Type.Null()]),
});

const Id = Type.Object({ dubbing_id: Type.String() });
type Id = Static<typeof Id>;

export function dubbingRoutes(app: FastifyInstance, { dubs }: DubbingDeps): void {
  submitRoute(app, dubs);
  listRoute(app, dubs);
  app.get<{ Params: Id }>('/elevenlabs/v1/dubbing/:dubbing_id', {
    config: { ...config, errors: ['not_found'] },
    schema: {
      summary: 'Retrieve a dub and its status, in ElevenLabs’ format',
      tags,
      operationId: 'elevenlabs_dubbing',
      params: Id,
      response: { 200: Dubbing },
    },
    handler: async (request) => show(await dubs.jobs.get(request.tenantScope(), request.params.dubbing_id)),
  });
  app.delete<{ Params: Id }>('/elevenlabs/v1/dubbing/:dubbing_id', {
    config: { ...config, errors: ['not_found', 'legal_hold'] },
    schema: {
      summary: 'Delete a dub and its files, in ElevenLabs’ format',
      tags,
      operationId: 'elevenlabs_delete_dubbing',
      params: Id,
      response: { 200: Type.Object({ status: Type.Literal('ok') }) },
    },
    handler: async (request) => {
      await dubs.jobs.remove(request.tenantScope(), request.params.dubbing_id);
      return { status: 'ok' as const };
    },
  });
  audioRoute(app, dubs);
}

function submitRoute(app: FastifyInstance, dubs: DubbingDeps['dubs']): void {
  app.post('/elevenlabs/v1/dubbing', {
    config: {
      ...config,
      meters: true,
      form: form.schema,
      errors: ['invalid_audio', 'unsupported_direction', 'payload_too_large', 'storage_quota_exceeded'],
    },
    schema: {
      summary: 'Dub a recording or a video, in ElevenLabs’ format',
      tags,
      operationId: 'elevenlabs_dub',
      response: {
        200: Type.Object({
          dubbing_id: Type.String(),
          expected_duration_sec: Type.Number({
            description: 'The duration of the recording in seconds; 0 if it was sent by URL.',
          }),
        }),
      },
    },
    handler: async (request) => {
      const { dub, seconds } = await dubs.submitForm(request, (reading) => readForm(request, reading));
      return { dubbing_id: dub.id, expected_duration_sec: seconds ?? 0 };
    },
  });
}

async function readForm(request: FastifyRequest, reading: FormReadOptions<unknown>): Promise<DubForm> {
  const { fields, files } = await form.read(request, { ...reading, ignoresUnknown: () => true });
  try {
    const url = files.file === undefined ? (fields.source_url ?? null) : null;
    if (files.file === undefined && url === null)
      throw new ApiError('invalid_request', 'Send either a file or a source_url.', { param: 'file' });
    return {
      options: {
        source: languageOf(SOURCES, fields.source_lang ?? 'auto', 'source_lang'),
        target: languageOf(TARGETS, fields.target_lang, 'target_lang'),
        consent: fields.consent === true,
      },
      url: url === null ? null : { href: url, param: 'source_url' },
    };
  } catch (error) {
    if (files.file !== undefined) await reading.discard(files.file);
    throw error;
  }
}

function languageOf<L extends string>(known: readonly L[], said: string, param: string): L {
  const code = said.split(/[-_]/)[0]!.toLowerCase();
  const found = known.find((one) => one === code);
  if (found !== undefined) return found;
  throw new ApiError('invalid_request', `${param} must be one of ${known.join(', ')}.`, { param });
}

const ListQuery = Type.Object(
  {
    cursor: Type.Optional(Type.Union([Type.String({ maxLength: 256 }), Type.Null()])),
    page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 100 })),
    dubbing_status: Ignored,
    filter_by_creator: Ignored,
    order_by: Ignored,
    order_direction: Ignored,
  },
  { additionalProperties: true },
);
type ListQuery = Static<typeof ListQuery>;

function listRoute(app: FastifyInstance, { jobs }: DubbingDeps['dubs']): void {
  app.get<{ Querystring: ListQuery }>('/elevenlabs/v1/dubbing', {
    config,
    schema: {
      summary: 'List dubs in ElevenLabs’ format, newest first',
      tags,
      operationId: 'elevenlabs_dubbings',
      querystring: ListQuery,
      response: {
        200: Type.Object({
          dubs: Type.Array(Dubbing),
          next_cursor: Type.Union([Type.String(), Type.Null()]),
          has_more: Type.Boolean(),
        }),
      },
    },
    handler: async (request) => {
      const { cursor, page_size: limit = 100 } = request.query;
      const asked = { limit, ...(cursor ? { cursor } : {}) };
      const dubs = await jobs.list(request.tenantScope(), asked, pageStart(asked));
      const keyOf = (dub: DubView) => ({ createdAt: dub.created_at, id: dub.id });
      const { data, next_cursor } = pageOf(dubs, asked, keyOf, show);
      return { dubs: data, next_cursor, has_more: next_cursor !== null };
    },
  });
}

const AudioParams = Type.Object({ dubbing_id: Type.String(), language_code: Type.String() });
const FILE = { schema: { type: 'string', format: 'binary' } } as const;

function audioRoute(app: FastifyInstance, dubs: DubbingDeps['dubs']): void {
  app.get<{ Params: Static<typeof AudioParams> }>('/elevenlabs/v1/dubbing/:dubbing_id/audio/:language_code', {
    config: { ...config, errors: ['not_found', 'dub_not_ready', 'range_not_satisfiable'] },
    schema: {
      summary: 'Download a dubbed file, in ElevenLabs’ format',
      tags,
      operationId: 'elevenlabs_dubbing_audio',
      params: AudioParams,
      response: {
        200: { description: 'The dubbed file.', content: { 'audio/mpeg': FILE, 'video/mp4': FILE } },
        206: { description: 'The requested byte range.', content: { 'audio/mpeg': FILE, 'video/mp4': FILE } },
      },
    },
    handler: async (request, reply) => {
      const { dubbing_id: id, language_code: language } = request.params;
      const { target } = await dubs.jobs.get(request.tenantScope(), id);
      if (language.split(/[-_]/)[0]!.toLowerCase() !== target)
        throw new ApiError('not_found', `The only target language of this dub is ${target}.`, {
          param: 'language_code',
        });
      return await dubs.sendFile(request, reply, id);
    },
  });
}

const show = (dub: DubView): Static<typeof Dubbing> => ({
  dubbing_id: dub.id,
  name: dub.id,
  status: dub.status === 'done' ? 'dubbed' : dub.status === 'error' ? 'failed' : 'dubbing',
  source_language: dub.source,
  target_languages: [dub.target],
  editable: false,
  created_at: new Date(dub.created_at).toISOString(),
  ...(dub.duration_s === null
    ? {}
    : {
        media_metadata: {
          content_type: dub.output?.content_type ?? (dub.video === true ? 'video/mp4' : 'audio/mpeg'),
          duration: dub.duration_s,
        },
      }),
  error: dub.error?.message ?? null,
});
