import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { type AudioDecoder, decodingPriorityOf, spoolUpload } from '../../../media/codec/index.ts';
import { capacityShareOf, type Engine, WATERMARK_RATE } from '../../../media/engine/index.ts';
import { type Marks, readProvenance, type WatermarkPolicy } from '../../../products/provenance/index.ts';
import { defineForm, type Surface } from '../../server/surface.ts';

export interface ProvenanceDeps {
  readonly engine: Engine;
  readonly decoder: AudioDecoder;
  readonly watermark: Marks;
  readonly temporary: string;
}

const form = defineForm(Type.Object({}), {
  file: {
    required: true,
    description: 'wav, mp3, m4a, flac, ogg or webm; judged by its bytes, never by its name',
  },
});

const Provenance = Type.Object(
  {
    object: Type.Literal('audio.provenance'),
    marked: Type.Boolean({ description: 'The sound, or 5 s of it, was made by this service' }),
    ours: Type.Boolean({ description: 'It was made for the organization that asks' }),
    confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'Where `marked`: one less the probability that a sound without a mark looks like this one. Else: how usual the sound is among those without',
    }),
  },
  { examples: [{ object: 'audio.provenance', marked: true, ours: true, confidence: 1 }] },
);

const Settings = Type.Object(
  {
    object: Type.Literal('audio.provenance_settings'),
    marked: Type.Boolean({ description: 'What is made from now on is marked' }),
    because: Type.Enum(['organization', 'law', 'no_law', 'unknown_country']),
    country: Type.Union([Type.String(), Type.Null()]),
    marks: Type.Union([Type.Boolean(), Type.Null()]),
    law: Type.Union([
      Type.Object({ name: Type.String(), source: Type.String(), since: Type.String() }),
      Type.Null(),
    ]),
  },
  {
    examples: [
      {
        object: 'audio.provenance_settings',
        marked: true,
        because: 'unknown_country',
        country: null,
        marks: null,
        law: null,
      },
    ],
  },
);

const SettingsBody = Type.Object(
  {
    country: Type.Optional(
      Type.Union([Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166' }), Type.Null()]),
    ),
    marks: Type.Optional(
      Type.Union([Type.Boolean(), Type.Null()], { description: 'null: as the law of the country asks' }),
    ),
  },
  { examples: [{ country: 'FR' }] },
);

const tags = ['Provenance'];

const show = ({ marked, because, country, marks, law }: WatermarkPolicy) => ({
  object: 'audio.provenance_settings' as const,
  marked,
  because,
  country,
  marks,
  law,
});

export function createProvenanceSurface(deps: ProvenanceDeps): Surface {
  return {
    name: 'provenance',
    routes: (app) => {
      detectRoute(app, deps);
      settingsRoutes(app, deps.watermark);
    },
  };
}

function detectRoute(app: FastifyInstance, deps: ProvenanceDeps): void {
  app.post('/v1/audio/provenance', {
    config: {
      access: { kind: 'key', scope: 'speak:synthesize' },
      form: form.schema,
      errors: ['invalid_audio'],
    },
    schema: {
      summary: 'Ask whether a recording was spoken here, and for whom',
      description:
        'Looks for the mark in windows of 5 s. It outlasts telephone codecs, MP3 from 64 kbit/s, other sample rates, 3 % of speed and cuts. Costs nothing.',
      tags,
      response: { 200: Provenance },
    },
    handler: async (request) => {
      const caller = request.caller();
      const { files } = await form.read(request, {
        maxBytes: caller.limits.syncUpload.bytes,
        store: ({ bytes }) => spoolUpload(bytes, deps.temporary),
        discard: (upload) => upload.discard(),
      });
      const upload = files.file!;
      try {
        const pcm = await decoded(deps.decoder, upload.path, request);
        const code = deps.watermark.codeOf(caller.orgId);
        const found = await readProvenance(
          deps.engine,
          pcm,
          code,
          request.gone,
          capacityShareOf(request.caller().environment),
        );
        return { object: 'audio.provenance' as const, ...found };
      } finally {
        await upload.discard();
      }
    },
  });
}

async function decoded(decoder: AudioDecoder, path: string, request: FastifyRequest): Promise<Buffer> {
  const caller = request.caller();
  const { pcm } = await decoder.decode(
    { path },
    {
      sampleRate: WATERMARK_RATE,
      channels: 'mix',
      sample: 's16',
      maxSeconds: caller.limits.syncUpload.seconds,
      signal: request.gone,
      priority: decodingPriorityOf(caller, 'sync'),
    },
  );
  const parts: Buffer[] = [];
  for await (const part of pcm) parts.push(part);
  const whole = Buffer.concat(parts);
  if (whole.length === 0) throw new ApiError('invalid_audio', 'The file holds no audio.', { param: 'file' });
  return whole;
}

function settingsRoutes(app: FastifyInstance, marks: Marks): void {
  app.get('/v1/audio/provenance/settings', {
    config: { access: { kind: 'member', scope: 'speak:synthesize' } },
    schema: { summary: 'Whether what is made here is marked, and why', tags, response: { 200: Settings } },
    handler: async (request) => show(await marks.policy(request.caller().orgId)),
  });
  app.patch<{ Body: Static<typeof SettingsBody> }>('/v1/audio/provenance/settings', {
    config: { access: { kind: 'member', scope: 'privacy:erase', role: 'admin' } },
    schema: {
      summary: 'Say the country whose law counts, or switch the mark on or off',
      description:
        'Of the whole organization. Where neither is said, sound is marked. The answer names the law that is known to ask for it.',
      tags,
      body: SettingsBody,
      response: { 200: Settings },
    },
    handler: async (request) =>
      show(await marks.change(request.caller().orgId, request.body, request.doer())),
  });
}
