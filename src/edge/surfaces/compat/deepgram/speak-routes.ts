import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import type { StockVoices } from '../../../../speech/voices/index.ts';
import type { SocketRequest, SocketRoute } from '../../../server/surface.ts';
import { type RequestSpeaker, type SpeechLineDeps, withoutUndefined } from '../speech-line.ts';
import { auraVoice } from '../stock-voices.ts';
import { fileFormatOf, rawFormatOf } from './speak-format.ts';
import { DeepgramSpeakSession } from './speak-session.ts';

export interface DeepgramSpeakDeps extends SpeechLineDeps {
  readonly speechService: SpeechLineDeps['speechService'] & RequestSpeaker;
  readonly voices: Pick<StockVoices, 'defaultFor' | 'list'>;
}

const IGNORED = 'Accepted for compatibility; has no effect, and `x-svc-ignored` says so.';
const Ignored = Type.Optional(Type.Unsafe<unknown>({ description: IGNORED }));
const Model = Type.Optional(
  Type.String({
    maxLength: 128,
    description: 'A Deepgram voice name, which maps to a Trunkline voice, or a Trunkline voice ID.',
    examples: ['aura-2-thalia-en'],
  }),
);

const SpeakQuery = Type.Object(
  {
    model: Model,
    encoding: Type.Optional(Type.String({ maxLength: 16, default: 'mp3' })),
    container: Type.Optional(
      Type.String({ maxLength: 16, description: 'The container for linear16: `none` or `wav`.' }),
    ),
    sample_rate: Type.Optional(Type.String({ maxLength: 8 })),
    speed: Type.Optional(Type.Number({ minimum: 0.7, maximum: 1.5 })),
    bit_rate: Ignored,
    callback: Ignored,
    callback_method: Ignored,
    mip_opt_out: Ignored,
    tag: Ignored,
  },
  { additionalProperties: true },
);
type SpeakQuery = Static<typeof SpeakQuery>;
const SERVED = new Set(['model', 'encoding', 'container', 'sample_rate', 'speed', 'api_key', 'token']);
const ignoredOf = (names: Iterable<string>): string[] => [...names].filter((name) => !SERVED.has(name));

const SpeakBody = Type.Object({
  text: Type.String({ description: 'The text to speak, at most 4,096 characters.' }),
});

const bytes = { schema: { type: 'string', format: 'binary' } };
const header = (description: string, example: string) => ({
  description,
  schema: { type: 'string' },
  example,
});
const AUDIO = {
  description: 'The audio.',
  headers: {
    'x-svc-voice': header('The canonical ID of the voice that was used.', 'bella_en_us'),
    'x-svc-sample-rate': header('The sample rate in Hz.', '24000'),
    'x-svc-characters': header('The length of the text in Unicode code points.', '42'),
    'x-svc-speed': header('The speed that was used.', '1.3'),
    'x-svc-model': header(
      'The model that served the request, regardless of the requested model.',
      'svc-speak',
    ),
    'x-svc-ignored': header('Options of the request that had no effect.', 'bit_rate'),
    'dg-request-id': header('The ID of the request, as in `x-request-id`.', 'req_NXDvc4UZX9Do3TKd7OqS'),
    'dg-model-name': header('The canonical ID of the voice, as in `x-svc-voice`.', 'bella_en_us'),
    'dg-model-uuid': header('The model that served the request.', 'svc-speak'),
    'dg-char-count': header('The length of the text, as in `x-svc-characters`.', '42'),
  },
  content: {
    'audio/mpeg': bytes,
    'audio/pcm': bytes,
    'audio/basic': bytes,
    'audio/ogg': bytes,
    'audio/wav': bytes,
    'audio/aac': bytes,
    'audio/flac': bytes,
  },
};

const voiceOf = (deps: DeepgramSpeakDeps, model: string | null | undefined): string | undefined =>
  model ? auraVoice(model, (language) => deps.voices.defaultFor(language)?.id) : undefined;

export function speakRoute(app: FastifyInstance, deps: DeepgramSpeakDeps): void {
  app.post('/deepgram/v1/speak', {
    config: {
      access: { kind: 'key', scope: 'speak:synthesize', grant: true },
      vendor: 'deepgram',
      cors: true,
      meters: true,
      errors: ['input_too_long', 'voice_not_found', 'voice_retired'],
    },
    schema: {
      summary: 'Synthesize speech, in Deepgram’s format',
      tags: ['Deepgram clients'],
      operationId: 'deepgram_speak',
      querystring: SpeakQuery,
      body: SpeakBody,
      response: { 200: AUDIO },
    },
    handler: async (
      request: FastifyRequest<{ Querystring: SpeakQuery; Body: Static<typeof SpeakBody> }>,
      reply: FastifyReply,
    ) => {
      const { query } = request;
      const order = {
        text: request.body.text,
        ...withoutUndefined({ voice: voiceOf(deps, query.model), speed: query.speed }),
        ...fileFormatOf(query),
        anyRate: true,
      };
      const spoken = await deps.speechService.begin(request, reply, order);
      const ignored = ignoredOf(Object.keys(query));
      reply.header('x-svc-model', 'svc-speak');
      setDeepgramHeaders(request, reply);
      if (ignored.length > 0) reply.header('x-svc-ignored', ignored.join(', '));
      return reply.type(spoken.wire.contentType).send(spoken.stream());
    },
  });
}

/** Version 3 of their Python client fails where one of these is absent. */
function setDeepgramHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    'dg-request-id': request.id,
    'dg-model-name': reply.getHeader('x-svc-voice'),
    'dg-model-uuid': 'svc-speak',
    'dg-char-count': reply.getHeader('x-svc-characters'),
  });
}

const MAX_FRAME_BYTES = 64 * 1024;
const typed = (type: string, more = {}) => Type.Object({ type: Type.Literal(type), ...more });
const sequence = { sequence_id: Type.Integer() };
const warning = { description: Type.String(), code: Type.String() };

export const speakSocket = (deps: DeepgramSpeakDeps): SocketRoute => ({
  path: '/deepgram/v1/speak',
  access: { kind: 'key', scope: 'speak:synthesize', grant: true },
  vendor: 'deepgram',
  maxFrameBytes: MAX_FRAME_BYTES,
  messages: {
    title: 'Deepgram-compatible streaming speech',
    summary:
      'Streaming speech synthesis in the messages of Deepgram’s API. Complete sentences are spoken immediately, and the rest on Flush.',
    query: Type.Object({
      model: Model,
      encoding: Type.Optional(Type.Enum(['linear16', 'mulaw', 'alaw'], { default: 'linear16' })),
      sample_rate: Type.Optional(
        Type.String({
          description: 'For linear16 up to 48000, default 24000; for mulaw and alaw 8000 or 16000.',
        }),
      ),
      speed: Type.Optional(Type.String({ description: 'The speech rate, 0.7 to 1.5.' })),
    }),
    client: [
      { name: 'Speak', summary: 'Append text', schema: typed('Speak', { text: Type.String() }) },
      {
        name: 'Flush',
        summary: 'Synthesize the remaining text; `Flushed` follows its audio',
        schema: typed('Flush'),
      },
      { name: 'Clear', summary: 'Discard text and audio that were not sent yet', schema: typed('Clear') },
      {
        name: 'Close',
        summary: 'Synthesize the remaining text, then close with 1000',
        schema: typed('Close'),
      },
    ],
    server: [
      { name: 'audio', summary: 'Raw audio in `encoding`', contentType: 'application/octet-stream' },
      {
        name: 'Metadata',
        summary: 'Sent first, when the connection opens',
        schema: typed('Metadata', {
          request_id: Type.String(),
          model_name: Type.String(),
          model_version: Type.String(),
          model_uuid: Type.String(),
        }),
      },
      {
        name: 'Flushed',
        summary: 'Sent when all audio for the text before Flush was sent',
        schema: typed('Flushed', sequence),
      },
      {
        name: 'Cleared',
        summary: 'Sent after Clear; no audio for earlier text follows',
        schema: typed('Cleared', sequence),
      },
      {
        name: 'Warning',
        summary: 'Sent for a message or option that has no effect',
        schema: typed('Warning', warning),
      },
      {
        name: 'Error',
        summary: 'Sent when an error occurs, before the connection closes',
        schema: typed('Error', warning),
      },
    ],
  },
  accept: (request: SocketRequest) => {
    const { query, principal } = request;
    const speed = Number(query.get('speed') ?? Number.NaN);
    const order = {
      ...withoutUndefined({
        voice: voiceOf(deps, query.get('model')),
        speed: Number.isFinite(speed) ? speed : undefined,
      }),
      ...rawFormatOf(query.get('encoding'), query.get('sample_rate')),
      anyRate: true,
    };
    const ignored = ignoredOf(query.keys());
    return { open: (socket) => new DeepgramSpeakSession(deps, principal!, socket, order, ignored) };
  },
});
