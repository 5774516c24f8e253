import Type, { type Static } from 'typebox';

export const MAX_CHARACTERS = 4096;

export const SpeechBody = Type.Object({
  model: Type.Optional(
    Type.String({
      description:
        '`svc-speak` (also `svc-voice`), or any model of another maker’s: it is served by `svc-speak`, and unknown fields beside it are ignored, as `x-svc-ignored` says',
      default: 'svc-speak',
    }),
  ),
  input: Type.String({ description: 'The text to speak: at most 4,096 characters (Unicode code points)' }),
  voice: Type.Optional(
    Type.Union([
      Type.String({
        maxLength: 128,
        description:
          "A stock voice's id or alias, a clone or a design; omitted: the account's default. It fixes the language.",
      }),
      Type.Object(
        { id: Type.String({ maxLength: 128 }) },
        { description: 'The same, as OpenAI’s clients say it' },
      ),
    ]),
  ),
  response_format: Type.Optional(
    Type.Enum(['mp3', 'g711_ulaw', 'g711_alaw', 'pcm', 'wav', 'opus', 'aac', 'flac'], { default: 'mp3' }),
  ),
  sample_rate: Type.Optional(
    Type.Integer({ description: '`g711_*`: omit or 8000; `pcm`: 8000 or 16000, omitted 24000; `mp3`: omit' }),
  ),
  stream: Type.Optional(Type.Boolean({ default: true })),
  emotion: Type.Optional(
    Type.String({ description: "One of the voice's `emotions` in the catalogue", maxLength: 64 }),
  ),
  speed: Type.Optional(
    Type.Number({
      minimum: 0.25,
      maximum: 4,
      default: 1,
      description: 'What the engine cannot is brought to 0.7 or 1.3; `x-svc-speed` says what was spoken',
    }),
  ),
  instructions: Type.Optional(
    Type.String({
      maxLength: 4096,
      description: 'Accepted for compatibility; has no effect, and `x-svc-ignored` says so. Use `emotion`',
    }),
  ),
  stream_format: Type.Optional(
    Type.Enum(['audio', 'sse'], {
      default: 'audio',
      description:
        '`sse`: server-sent events, `speech.audio.delta` with base64 audio, then `speech.audio.done`',
    }),
  ),
});
export type SpeechBody = Static<typeof SpeechBody>;

const header = (description: string, schema: object, example: unknown) => ({ description, schema, example });
const bytes = { schema: { type: 'string', format: 'binary' } };

export const SpeechAudio = {
  description: 'The audio',
  headers: {
    'x-svc-model': header('The model that served', { type: 'string' }, 'svc-speak'),
    'x-svc-voice': header('The canonical id of the voice that spoke', { type: 'string' }, 'heart_en_us'),
    'x-svc-sample-rate': header('Hz', { type: 'integer' }, 24_000),
    'x-svc-characters': header('Unicode code points of the input', { type: 'integer' }, 42),
    'x-svc-speed': header('The speed that was spoken', { type: 'number' }, 1.3),
    'x-svc-ignored': header('Fields of the request that had no effect', { type: 'string' }, 'instructions'),
    'x-svc-stream': header(
      'Of streaming requests: whether audio left as it was made',
      { enum: ['streamed', 'buffered'] },
      'streamed',
    ),
  },
  content: {
    'audio/mpeg': bytes,
    'audio/basic': bytes,
    'audio/pcm': bytes,
    'audio/wav': bytes,
    'audio/ogg': bytes,
    'audio/aac': bytes,
    'audio/flac': bytes,
    'text/event-stream': { schema: { type: 'string' } },
  },
};

export const SpeakSettings = Type.Object({
  default_voice: Type.String({
    minLength: 1,
    maxLength: 128,
    description: 'The canonical id, or any name in a PUT',
  }),
});
export type SpeakSettings = Static<typeof SpeakSettings>;

export const CloneItem = Type.Object({
  id: Type.String(),
  object: Type.Literal('voice'),
  name: Type.String(),
  language: Type.String(),
  tier: Type.Enum(['standard', 'natural']),
  available_on: Type.Array(Type.Enum(['speak', 'omni', 'cast'])),
  region: Type.Union([Type.String(), Type.Null()]),
  gender: Type.Union([Type.Enum(['female', 'male']), Type.Null()]),
  emotions: Type.Array(Type.String()),
  aliases: Type.Array(Type.String()),
  similarity: Type.Number({
    description:
      "Cosine of the speaker's vector and the similar voice's: recordings of one speaker reach about 0.8, of two about 0.3",
  }),
  note: Type.String({ description: 'What the voice is: a similar voice, no copy' }),
  warning: Type.Optional(
    Type.String({ description: 'Said where the voice came out no nearer to the speaker than a stranger' }),
  ),
});

export const CloneList = Type.Object({ object: Type.Literal('list'), data: Type.Array(CloneItem) });

export const Deleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('voice'),
  deleted: Type.Literal(true),
});

export const DesignBody = Type.Object({
  description: Type.String({ minLength: 1, maxLength: 500 }),
  text: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'What the previews say' })),
  candidates: Type.Optional(Type.Integer({ minimum: 1, maximum: 4, default: 3 })),
  seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 4_294_967_295 })),
});
export type DesignBody = Static<typeof DesignBody>;

export const DesignAnswer = Type.Object({
  id: Type.String(),
  object: Type.Literal('voice.design'),
  candidates: Type.Array(Type.Object({ candidate_id: Type.String(), preview_url: Type.String() })),
  understood: Type.Array(Type.String(), { description: 'Words of the description that had an effect' }),
  ignored: Type.Array(Type.String(), { description: 'Words of the description that had none' }),
  expires_at: Type.Integer(),
});

export const SaveBody = Type.Object({
  candidate_id: Type.String({ minLength: 1, maxLength: 64 }),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
export type SaveBody = Static<typeof SaveBody>;

export const SavedVoice = Type.Object({
  voice_id: Type.String(),
  name: Type.String(),
  source: Type.Literal('design'),
});
