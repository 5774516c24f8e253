import Type, { type Static } from 'typebox';
import { JobSummary, jobSummary } from '../../../foundation/events/index.ts';
import { MAX_URL_CHARACTERS } from '../../../foundation/platform/url-gate/index.ts';
import { DEFAULT_PII_ENTITIES, PII_ENTITIES } from '../../../language/pii/index.ts';

export const OUTPUT_FORMATS = ['json', 'text', 'srt', 'vtt'] as const;
export const SUMMARY_LANGUAGES = ['en', 'fr', 'es', 'de', 'hi'] as const;
export const MAX_TERMS = 5;

const options = {
  model: Type.Optional(Type.String({ description: 'The model: `svc-hear`.' })),
  webhook_url: Type.Optional(
    Type.String({ maxLength: 2048, description: 'HTTPS URL that is called when the job has ended.' }),
  ),
  output_formats: Type.Optional(
    Type.Array(Type.Enum(OUTPUT_FORMATS), { minItems: 1, maxItems: 4, uniqueItems: true, default: ['json'] }),
  ),
  vocabulary: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: MAX_TERMS,
      description: 'Distinctive terms to expect, for this job only.',
    }),
  ),
  language: Type.Optional(
    Type.String({
      description: `The language of the Recap summary: ${SUMMARY_LANGUAGES.join(', ')}. It does not affect the transcription, whose language is detected.`,
    }),
  ),
  trace: Type.Optional(
    Type.Boolean({
      description: 'Whether to redact personal data. Cannot be combined with `diarize` or `channel`.',
      default: false,
    }),
  ),
  rule_pack: Type.Optional(
    Type.Object({
      entities: Type.Array(Type.Enum(PII_ENTITIES), {
        minItems: 1,
        uniqueItems: true,
        description: `The entities that \`trace\` redacts. Defaults to ${DEFAULT_PII_ENTITIES.join(', ')}.`,
      }),
    }),
  ),
  diarize: Type.Optional(
    Type.Boolean({ description: 'Whether to label each segment with its speaker.', default: false }),
  ),
  speakers: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 20,
      description: 'The number of speakers, if known. Used with `diarize`.',
    }),
  ),
  channel: Type.Optional(
    Type.Boolean({ description: 'Whether to transcribe the two channels separately.', default: false }),
  ),
  numerals: Type.Optional(Type.Enum(['digits', 'words'], { default: 'digits' })),
  external_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description:
        'Your ID of the person whose recording it is. `DELETE /v1/customers/{external_id}` deletes the job.',
    }),
  ),
};

export const JobOptions = Type.Object(options);

export const JobSubmission = Type.Object({
  audio_url: Type.String({ maxLength: MAX_URL_CHARACTERS, description: 'HTTPS URL of the audio.' }),
  ...options,
});
export type JobSubmission = Static<typeof JobSubmission>;
export type JobOptions = Static<typeof JobOptions>;

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const WordView = Type.Object({ word: Type.String(), start: Type.Number(), end: Type.Number() });

const SegmentView = Type.Object({
  speaker: Nullable(Type.String()),
  channel: Nullable(Type.Integer()),
  start: Type.Number(),
  end: Type.Number(),
  text: Type.String(),
});

export const JobView = Type.Object({
  ...jobSummary,
  text: Nullable(Type.String()),
  words: Type.Array(WordView),
  segments: Type.Array(SegmentView),
  outputs: Type.Object({
    json: Type.Optional(
      Type.Object({ text: Type.String(), words: Type.Array(WordView), segments: Type.Array(SegmentView) }),
    ),
    text: Type.Optional(Type.String()),
    srt: Type.Optional(Type.String()),
    vtt: Type.Optional(Type.String()),
  }),
});

export const JobPage = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(JobSummary),
  next_cursor: Nullable(Type.String()),
});

export const Deleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('transcription.job'),
  deleted: Type.Literal(true),
});
