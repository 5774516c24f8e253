import Type, { type Static } from 'typebox';

export const VoiceItem = Type.Object({
  id: Type.String({ description: 'Canonical id; what the runtime reports as served' }),
  object: Type.Literal('voice'),
  name: Type.String(),
  language: Type.String({ description: 'ISO 639-1' }),
  tier: Type.Enum(['standard', 'natural']),
  available_on: Type.Array(Type.Enum(['speak', 'omni', 'cast']), {
    description: 'The products on which the voice works; inspect it before use',
  }),
  region: Type.Union([Type.String(), Type.Null()]),
  gender: Type.Union([Type.Enum(['female', 'male']), Type.Null()]),
  emotions: Type.Array(Type.String()),
  aliases: Type.Array(Type.String()),
  experimental: Type.Optional(
    Type.Literal(true, {
      description: 'The voice speaks a language that its model was not taught: try it before you rely on it',
    }),
  ),
  similarity: Type.Optional(
    Type.Number({
      description:
        'Of a clone, which is a similar voice: how like its speaker it came out. One speaker twice reaches about 0.8, two speakers about 0.3',
    }),
  ),
  note: Type.Optional(Type.String({ description: 'Of a clone: that it is a similar voice, no copy' })),
  warning: Type.Optional(
    Type.String({ description: 'Of a clone: that it came out no nearer to its speaker than a stranger' }),
  ),
  description: Type.Optional(Type.String({ description: 'Of a designed voice: what it was designed from' })),
  metadata: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'Of a designed voice: as it was saved' }),
  ),
});
export type VoiceItem = Static<typeof VoiceItem>;

export const SpokenVoices = Type.Object({
  object: Type.Literal('list'),
  voices: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), language: Type.String() })),
});

export const VoiceList = Type.Object({ object: Type.Literal('list'), data: Type.Array(VoiceItem) });

export const VoiceQuery = Type.Object({
  region: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      examples: ['india'],
      description:
        'A region of the voices, in whatever case; an unknown one is refused with those that there are',
    }),
  ),
  language: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 16,
      examples: ['es'],
      description: 'ISO 639-1, or `all`; English by default',
    }),
  ),
});
export type VoiceQuery = Static<typeof VoiceQuery>;

export const ModelItem = Type.Object({
  id: Type.Enum(['svc-hear', 'svc-speak']),
  object: Type.Literal('model'),
  created: Type.Integer({ description: 'Unix seconds' }),
  owned_by: Type.String(),
  languages: Type.Array(Type.String(), { description: 'ISO 639-1' }),
  experimental_languages: Type.Array(Type.String(), {
    description:
      'Those of `languages` in which words are often written wrong: try them before you rely on them',
  }),
  aliases: Type.Array(Type.String(), { description: 'Names of others that requests may send for it' }),
});
export type ModelItem = Static<typeof ModelItem>;

export const ModelParams = Type.Object({
  id: Type.String({
    examples: ['svc-hear'],
    description: 'The id, or a name of OpenAI’s that stands for it',
  }),
});

export const ReferencePack = Type.Object(
  {
    object: Type.Literal('reference_pack'),
    date: Type.String(),
    models: Type.Array(Type.Object({ id: Type.String(), languages: Type.Array(Type.String()) })),
    languages: Type.Object({}, { additionalProperties: true }),
    voices: Type.Array(VoiceItem),
    controls: Type.Object(
      {},
      { additionalProperties: true, description: 'What requests may say, by surface' },
    ),
  },
  { description: 'The pack' },
);

export const ModelList = Type.Object({ object: Type.Literal('list'), data: Type.Array(ModelItem) });
