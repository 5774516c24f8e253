import Type, { type Static } from 'typebox';
import { defineForm } from '../../server/surface.ts';
import { HEAR_MODEL } from './recognition-fields.ts';

const IGNORED = 'Accepted for compatibility; has no effect';
export const UPLOAD_FORMATS = ['wav', 'mp3', 'm4a', 'flac', 'ogg', 'webm'] as const;

export const TranscriptionFields = Type.Object({
  model: Type.Optional(
    Type.String({
      description: `\`${HEAR_MODEL}\`, or any model of another maker’s: it is served by \`${HEAR_MODEL}\`, as \`x-svc-model\` says, and unknown fields beside it are ignored, as \`x-svc-ignored\` says`,
      examples: [HEAR_MODEL],
    }),
  ),
  response_format: Type.Optional(
    Type.Enum(['json', 'text', 'verbose_json', 'srt', 'vtt', 'diarized_json'], { default: 'json' }),
  ),
  language: Type.Optional(
    Type.String({ description: 'en, es, fr, de, hi, it, pt or nl; without it the language is found' }),
  ),
  seed: Type.Optional(Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  stream: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'With `json` and `text`: the transcript as server-sent events while it is made, `transcript.text.delta` and then `transcript.text.done`. Without effect for other formats',
    }),
  ),
  timestamp_granularities: Type.Optional(
    Type.Array(Type.Enum(['word', 'segment']), {
      description: 'Of `verbose_json`: which times are told; both by default',
    }),
  ),
  prompt: Type.Optional(Type.String({ description: IGNORED })),
  include: Type.Optional(Type.Array(Type.String(), { description: IGNORED })),
  known_speaker_names: Type.Optional(Type.Array(Type.String(), { description: IGNORED })),
  known_speaker_references: Type.Optional(Type.Array(Type.String(), { description: IGNORED })),
  chunking_strategy: Type.Optional(Type.Unknown({ description: IGNORED })),
});
export type TranscriptionFields = Static<typeof TranscriptionFields>;

const file = {
  required: true,
  description: `${UPLOAD_FORMATS.join(', ')}; judged by its bytes, never by its name`,
};
export const transcriptionForm = defineForm(TranscriptionFields, { file });

export const WITHOUT_EFFECT = [
  'prompt',
  'include',
  'known_speaker_names',
  'known_speaker_references',
  'chunking_strategy',
] as const;

const { model, temperature, seed, prompt } = TranscriptionFields.properties;
export const TranslationFields = Type.Object({
  model,
  response_format: Type.Optional(
    Type.Enum(['json', 'text', 'verbose_json', 'srt', 'vtt'], { default: 'json' }),
  ),
  temperature,
  seed,
  prompt,
});
export type TranslationFields = Static<typeof TranslationFields>;
export const translationForm = defineForm(TranslationFields, { file });
