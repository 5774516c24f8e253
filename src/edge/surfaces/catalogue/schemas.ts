import Type, { type Static } from 'typebox';

export const VoiceItem = Type.Object({
  id: Type.String({ description: 'The canonical ID, which responses use.' }),
  object: Type.Literal('voice'),
  name: Type.String(),
  language: Type.String({ description: 'ISO 639-1 language code.' }),
  tier: Type.Enum(['standard', 'natural']),
  available_on: Type.Array(Type.Enum(['speak', 'omni', 'cast']), {
    description: 'The products that support the voice.',
  }),
  region: Type.Union([Type.String(), Type.Null()]),
  gender: Type.Union([Type.Enum(['female', 'male']), Type.Null()]),
  emotions: Type.Array(Type.String()),
  aliases: Type.Array(Type.String()),
  experimental: Type.Optional(
    Type.Literal(true, {
      description:
        'Whether the voice speaks a language that its model was not trained on. Test it before you rely on it.',
    }),
  ),
  similarity: Type.Optional(
    Type.Number({
      description:
        'For a clone: the similarity to the speaker. Two recordings of the same speaker reach about 0.8, two different speakers about 0.3.',
    }),
  ),
  note: Type.Optional(
    Type.String({ description: 'For a clone: a notice that the voice is similar and not a copy.' }),
  ),
  warning: Type.Optional(
    Type.String({
      description:
        'For a clone: a warning that the voice is no more similar to the speaker than an unrelated voice.',
    }),
  ),
  description: Type.Optional(
    Type.String({ description: 'For a designed voice: the description it was designed from.' }),
  ),
  metadata: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'For a designed voice: the metadata that was saved with it.',
    }),
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
        'A region of the voices, case-insensitive. An unknown region is rejected with the list of valid ones.',
    }),
  ),
  language: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 16,
      examples: ['es'],
      description: 'ISO 639-1 language code, or `all`. Defaults to English.',
    }),
  ),
});
export type VoiceQuery = Static<typeof VoiceQuery>;

export const ModelItem = Type.Object({
  id: Type.Enum(['svc-hear', 'svc-speak']),
  object: Type.Literal('model'),
  created: Type.Integer({ description: 'Unix time in seconds.' }),
  owned_by: Type.String(),
  languages: Type.Array(Type.String(), { description: 'ISO 639-1 language codes.' }),
  experimental_languages: Type.Array(Type.String(), {
    description:
      'Languages of the list `languages` with a high word error rate. Test them before you rely on them, or add a recognizer of your own (guide “Bring your own models”).',
  }),
  aliases: Type.Array(Type.String(), {
    description: 'Names of other vendors’ models that requests can use for this model.',
  }),
});
export type ModelItem = Static<typeof ModelItem>;

export const ModelParams = Type.Object({
  id: Type.String({
    examples: ['svc-hear'],
    description: 'The model ID, or the name of an OpenAI model that is an alias of it.',
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
      { additionalProperties: true, description: 'The parameters that requests can use, by surface.' },
    ),
  },
  { description: 'The reference pack.' },
);

export const ModelList = Type.Object({ object: Type.Literal('list'), data: Type.Array(ModelItem) });
