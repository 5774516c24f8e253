import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import type { TenantScope } from '../../../../foundation/access/contract.ts';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import { noSuchVoice } from '../../../../foundation/platform/no-such-voice.ts';
import type { Design, OwnVoice, VoiceStore } from '../../../../speech/voices/index.ts';
import { defineForm } from '../../../server/surface.ts';
import { fieldsOf, jsonOr } from '../client-message.ts';
import { Ignored, VoiceModel } from './schemas.ts';
import { showOwn } from './voice-routes.ts';

interface Upload {
  readonly path: string;
  discard(): Promise<void>;
}

export interface OwnVoiceDeps {
  readonly ownVoices: Pick<VoiceStore, 'voice' | 'clones' | 'designed' | 'deleteClone' | 'deleteDesigned'>;
  readonly cloner: {
    keep(bytes: Readable): Promise<Upload>;
    clone(request: FastifyRequest, name: string, paths: readonly string[]): Promise<OwnVoice>;
  };
  readonly designer: {
    design(
      scope: TenantScope,
      wanted: { description: string; text?: string | undefined; seed?: number | undefined },
    ): Promise<Design>;
    preview(request: FastifyRequest, designId: string, candidateId: string): Promise<Buffer>;
    save(
      scope: TenantScope,
      designId: string,
      candidateId: string,
      about: { readonly name: string; readonly metadata: Readonly<Record<string, unknown>> },
    ): Promise<OwnVoice>;
  };
}

const tags = ['ElevenLabs clients'];
const DESIGN = { kind: 'key', scope: 'speak:design' } as const;
const MAX_RECORDING_BYTES = 50 * 1024 * 1024;
const MAX_FILES = 10;
/** Previews are MP3 of 64 kbit/s. */
const PREVIEW_BYTES_PER_SECOND = 8000;

const form = defineForm(
  Type.Object({
    name: Type.String({ minLength: 1, maxLength: 200 }),
    labels: Type.Optional(
      Type.Unsafe<unknown>({
        type: 'string',
        description:
          'JSON. `{"consent": "true"}` states that the speaker has consented to the use of their voice.',
        examples: ['{"consent": "true"}'],
      }),
    ),
  }),
  {
    files: {
      required: true,
      most: MAX_FILES,
      description: 'Recordings of one speaker without noise, 3 to 120 seconds in total.',
    },
  },
);

export function ownVoiceRoutes(app: FastifyInstance, deps: OwnVoiceDeps): void {
  cloneRoute(app, deps);
  designRoutes(app, deps);
  saveRoute(app, deps);
  deleteRoute(app, deps);
}

function cloneRoute(app: FastifyInstance, { cloner }: OwnVoiceDeps): void {
  app.post('/elevenlabs/v1/voices/add', {
    config: {
      access: { kind: 'key', scope: 'speak:clone' },
      vendor: 'elevenlabs',
      meters: true,
      form: form.schema,
      errors: ['invalid_audio', 'invalid_voice_sample', 'payload_too_large'],
    },
    schema: {
      summary: 'Create a voice that is similar to recordings, in ElevenLabs’ format for instant clones',
      tags,
      operationId: 'elevenlabs_add_voice',
      response: { 200: Type.Object({ voice_id: Type.String(), requires_verification: Type.Boolean() }) },
    },
    handler: async (request) => {
      const { fields, uploads } = await form.read(request, {
        maxBytes: MAX_RECORDING_BYTES,
        store: ({ bytes }) => cloner.keep(bytes),
        discard: (upload) => upload.discard(),
        ignoresUnknown: () => true,
      });
      const recordings = uploads.files ?? [];
      try {
        if (String(fieldsOf(jsonOr(fields.labels)).consent) !== 'true')
          throw new ApiError(
            'invalid_request',
            'A clone requires the speaker’s consent: set the label consent to true once you have it.',
            { param: 'labels.consent' },
          );
        const { id } = await cloner.clone(
          request,
          fields.name,
          recordings.map(({ path }) => path),
        );
        return { voice_id: id, requires_verification: false };
      } finally {
        await Promise.all(recordings.map((upload) => upload.discard()));
      }
    },
  });
}

const DesignQuery = Type.Object({ output_format: Ignored });
const DesignBody = Type.Object({
  voice_description: Type.String({ minLength: 1, maxLength: 1000 }),
  text: Type.Optional(
    Type.Union([Type.String({ maxLength: 1000 }), Type.Null()], {
      description: 'The text that the previews say.',
    }),
  ),
  seed: Type.Optional(Type.Union([Type.Integer({ minimum: 0, maximum: 4_294_967_295 }), Type.Null()])),
  auto_generate_text: Ignored,
  model_id: Ignored,
  loudness: Ignored,
  quality: Ignored,
  guidance_scale: Ignored,
  should_enhance: Ignored,
  stream_previews: Ignored,
  prompt_strength: Ignored,
});
type DesignBody = Static<typeof DesignBody>;

const Previews = Type.Object({
  text: Type.String(),
  previews: Type.Array(
    Type.Object({
      generated_voice_id: Type.String(),
      audio_base_64: Type.String(),
      media_type: Type.Literal('audio/mpeg'),
      duration_secs: Type.Number(),
      language: Type.Literal('en'),
    }),
  ),
});

function designRoutes(app: FastifyInstance, { designer }: OwnVoiceDeps): void {
  for (const name of ['design', 'create-previews'] as const)
    app.post<{ Body: DesignBody }>(`/elevenlabs/v1/text-to-voice/${name}`, {
      config: { access: DESIGN, vendor: 'elevenlabs', meters: true },
      schema: {
        summary: 'Design voices from a description, in ElevenLabs’ format',
        description:
          'Returns three MP3 previews, which are billed like other speech. They can be saved within one day.',
        tags,
        operationId: `elevenlabs_voice_${name.replace('-', '_')}`,
        querystring: DesignQuery,
        body: DesignBody,
        response: { 200: Previews },
      },
      handler: async (request) => {
        const { voice_description: description, text, seed } = request.body;
        const design = await designer.design(request.tenantScope(), {
          description,
          text: text || undefined,
          seed: seed ?? undefined,
        });
        const previews = [];
        for (const { id } of design.candidates) {
          const audio = await designer.preview(request, design.id, id);
          previews.push({
            generated_voice_id: `${design.id}.${id}`,
            audio_base_64: audio.toString('base64'),
            media_type: 'audio/mpeg' as const,
            duration_secs: audio.length / PREVIEW_BYTES_PER_SECOND,
            language: 'en' as const,
          });
        }
        return { text: design.text, previews };
      },
    });
}

const SaveBody = Type.Object({
  voice_name: Type.String({ minLength: 1, maxLength: 200 }),
  voice_description: Type.Optional(
    Type.Unsafe<unknown>({
      description: 'Accepted for compatibility; the description of the design is used.',
    }),
  ),
  generated_voice_id: Type.String({ maxLength: 128, description: 'The ID of a preview.' }),
  labels: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.String({ maxLength: 200 })), Type.Null()]),
  ),
  played_not_selected_voice_ids: Ignored,
});
type SaveBody = Static<typeof SaveBody>;
const MAX_LABELS = 20;

function saveRoute(app: FastifyInstance, { designer }: OwnVoiceDeps): void {
  app.post<{ Body: SaveBody }>('/elevenlabs/v1/text-to-voice', {
    config: { access: DESIGN, vendor: 'elevenlabs', errors: ['not_found'] },
    schema: {
      summary: 'Save a designed voice, in ElevenLabs’ format',
      tags,
      operationId: 'elevenlabs_create_voice',
      body: SaveBody,
      response: { 200: VoiceModel },
    },
    handler: async (request) => {
      const { voice_name: name, generated_voice_id: generated, labels } = request.body;
      const metadata = labels ?? {};
      if (Object.keys(metadata).length > MAX_LABELS)
        throw new ApiError('invalid_request', `labels can have at most ${MAX_LABELS} names.`, {
          param: 'labels',
        });
      const [designId = '', candidateId = ''] = generated.split('.');
      const scope = request.tenantScope();
      return showOwn(await designer.save(scope, designId, candidateId, { name, metadata }));
    },
  });
}

function deleteRoute(app: FastifyInstance, { ownVoices }: OwnVoiceDeps): void {
  app.delete<{ Params: { voice_id: string } }>('/elevenlabs/v1/voices/:voice_id', {
    config: {
      access: { kind: 'key', scope: 'speak:clone' },
      vendor: 'elevenlabs',
      errors: ['voice_not_found'],
    },
    schema: {
      summary: 'Delete a custom voice, in ElevenLabs’ format',
      tags,
      operationId: 'elevenlabs_delete_voice',
      params: Type.Object({ voice_id: Type.String() }),
      response: { 200: Type.Object({ status: Type.Literal('ok') }) },
    },
    handler: async (request) => {
      const scope = request.tenantScope();
      const { voice_id: id } = request.params;
      const isGone = (await ownVoices.deleteClone(scope, id)) || (await ownVoices.deleteDesigned(scope, id));
      if (!isGone) throw noSuchVoice();
      return { status: 'ok' as const };
    },
  });
}
