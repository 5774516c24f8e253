import Type, { type Static } from 'typebox';
import { defineForm } from '../../server/surface.ts';
import { HEAR_MODEL } from './recognition-fields.ts';

const IGNORED = 'Accepted for compatibility; has no effect.';
export const UPLOAD_FORMATS = ['wav', 'mp3', 'm4a', 'flac', 'ogg', 'webm'] as const;

export const TranscriptionFields = Type.Object({
  model: Type.Optional(
    Type.String({
      description: `\`${HEAR_MODEL}\`, or a model name of another vendor. Such a name is served by \`${HEAR_MODEL}\`, which \`x-svc-model\` reports, and unknown fields are then ignored, which \`x-svc-ignored\` reports.`,
      examples: [HEAR_MODEL],
    }),
  ),
  response_format: Type.Optional(
    Type.Enum(['json', 'text', 'verbose_json', 'srt', 'vtt', 'diarized_json'], { default: 'json' }),
  ),
  language: Type.Optional(
    Type.String({
      description:
        'The spoken language: en, es, fr, de, hi, it, pt or nl. If omitted, the language is detected.',
    }),
  ),
  languages: Type.Optional(
    Type.Array(Type.String(), {
      description: 'One language counts as `language`. Of several, the spoken one is detected.',
    }),
  ),
  seed: Type.Optional(Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  stream: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'With `json` and `text`: streams the transcript as server-sent events, `transcript.text.delta` and then `transcript.text.done`. Has no effect for other formats.',
    }),
  ),
  timestamp_granularities: Type.Optional(
    Type.Array(Type.Enum(['word', 'segment']), {
      description: 'The timestamps to include in `verbose_json`. Defaults to both.',
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
  description: `The recording: ${UPLOAD_FORMATS.join(', ')}. The format is detected from its content, regardless of the file name.`,
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
