import Type, { type Static } from 'typebox';
import { PRONUNCIATION_LIMITS } from '../../../speech/voices/index.ts';

export const MAX_CHARACTERS = 4096;

export const SpeechBody = Type.Object({
  model: Type.Optional(
    Type.String({
      description:
        '`svc-speak` (also `svc-voice`), or a model name of another vendor. Such a name is served by `svc-speak`, and unknown fields are then ignored, which `x-svc-ignored` reports.',
      default: 'svc-speak',
    }),
  ),
  input: Type.String({ description: 'The text to speak, at most 4,096 characters (Unicode code points).' }),
  voice: Type.Optional(
    Type.Union([
      Type.String({
        maxLength: 128,
        description:
          'The ID or alias of a stock voice, or the ID of a cloned or designed voice. Defaults to the account’s default voice. The voice determines the language.',
      }),
      Type.Object(
        { id: Type.String({ maxLength: 128 }) },
        { description: 'The voice as an object, as OpenAI’s clients send it.' },
      ),
    ]),
  ),
  response_format: Type.Optional(
    Type.Enum(['mp3', 'g711_ulaw', 'g711_alaw', 'pcm', 'wav', 'opus', 'aac', 'flac'], { default: 'mp3' }),
  ),
  sample_rate: Type.Optional(
    Type.Integer({
      description:
        'The sample rate in Hz. For `g711_*`: 8000 or omitted. For `pcm`: 8000 or 16000; defaults to 24000. For `mp3`: must be omitted.',
    }),
  ),
  stream: Type.Optional(Type.Boolean({ default: true })),
  emotion: Type.Optional(
    Type.String({ description: 'One of the voice’s `emotions` in the catalogue.', maxLength: 64 }),
  ),
  speed: Type.Optional(
    Type.Number({
      minimum: 0.25,
      maximum: 4,
      default: 1,
      description:
        'The speech rate. Values that the engine does not support are limited to 0.7 or 1.3; `x-svc-speed` returns the rate that was used.',
    }),
  ),
  instructions: Type.Optional(
    Type.String({
      maxLength: 4096,
      description:
        'Accepted for compatibility; has no effect, which `x-svc-ignored` reports. Use `emotion` instead.',
    }),
  ),
  stream_format: Type.Optional(
    Type.Enum(['audio', 'sse'], {
      default: 'audio',
      description:
        '`sse` returns server-sent events: `speech.audio.delta` with Base64-encoded audio, then `speech.audio.done`.',
    }),
  ),
});
export type SpeechBody = Static<typeof SpeechBody>;

const header = (description: string, schema: object, example: unknown) => ({ description, schema, example });
const bytes = { schema: { type: 'string', format: 'binary' } };

export const SpeechAudio = {
  description: 'The audio.',
  headers: {
    'x-svc-model': header('The model that served the request.', { type: 'string' }, 'svc-speak'),
    'x-svc-voice': header('The canonical ID of the voice that was used.', { type: 'string' }, 'heart_en_us'),
    'x-svc-sample-rate': header('The sample rate in Hz.', { type: 'integer' }, 24_000),
    'x-svc-characters': header('The length of the input in Unicode code points.', { type: 'integer' }, 42),
    'x-svc-speed': header('The speech rate that was used.', { type: 'number' }, 1.3),
    'x-svc-ignored': header('Fields of the request that had no effect.', { type: 'string' }, 'instructions'),
    'x-svc-stream': header(
      'For streaming requests: whether the audio was streamed during synthesis or buffered.',
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
    description: 'The canonical ID of the voice. A PUT also accepts its aliases.',
  }),
});
export type SpeakSettings = Static<typeof SpeakSettings>;

const PronunciationBody = Type.Object(
  {
    word: Type.String({
      minLength: 1,
      maxLength: PRONUNCIATION_LIMITS.word,
      pattern: '\\S',
      description: 'The word or words as they are written, in any case. Parts of words are left as they are.',
    }),
    say: Type.String({
      minLength: 1,
      maxLength: PRONUNCIATION_LIMITS.say,
      pattern: '\\S',
      description: 'The spelling that the voice reads in its place.',
    }),
    language: Type.Optional(
      Type.String({
        pattern: '^[a-z]{2}$',
        description: 'Only voices of this language say it so. Without it, voices of all languages do.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const PronunciationsBody = Type.Object({
  pronunciations: Type.Array(PronunciationBody, { maxItems: PRONUNCIATION_LIMITS.entries }),
});
export type PronunciationsBody = Static<typeof PronunciationsBody>;

export const Pronunciations = Type.Object({
  object: Type.Literal('speak.pronunciations'),
  ...PronunciationsBody.properties,
});

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
      'The cosine similarity of the speaker and the voice. Two recordings of the same speaker reach about 0.8, two different speakers about 0.3.',
  }),
  note: Type.String({ description: 'A notice that the voice is similar and not a copy.' }),
  warning: Type.Optional(
    Type.String({
      description: 'A warning that the voice is no more similar to the speaker than an unrelated voice.',
    }),
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
  text: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: 'The text that the previews say.' }),
  ),
  candidates: Type.Optional(Type.Integer({ minimum: 1, maximum: 4, default: 3 })),
  seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 4_294_967_295 })),
});
export type DesignBody = Static<typeof DesignBody>;

export const DesignAnswer = Type.Object({
  id: Type.String(),
  object: Type.Literal('voice.design'),
  candidates: Type.Array(Type.Object({ candidate_id: Type.String(), preview_url: Type.String() })),
  understood: Type.Array(Type.String(), { description: 'Words of the description that had an effect.' }),
  ignored: Type.Array(Type.String(), { description: 'Words of the description that had no effect.' }),
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
