import Type, { type Static } from 'typebox';
import { JobSummary, jobSummary } from '../../../foundation/events/index.ts';
import { MAX_URL_CHARACTERS } from '../../../foundation/platform/url-gate/index.ts';
import { DEFAULT_PII_ENTITIES, PII_ENTITIES } from '../../../language/pii/index.ts';

export const OUTPUT_FORMATS = ['json', 'text', 'srt', 'vtt'] as const;
export const SUMMARY_LANGUAGES = ['en', 'fr', 'es', 'de', 'hi'] as const;
export const MAX_TERMS = 5;

const options = {
  model: Type.Optional(Type.String({ description: 'svc-hear' })),
  webhook_url: Type.Optional(
    Type.String({ maxLength: 2048, description: 'https URL that is told when the job has ended' }),
  ),
  output_formats: Type.Optional(
    Type.Array(Type.Enum(OUTPUT_FORMATS), { minItems: 1, maxItems: 4, uniqueItems: true, default: ['json'] }),
  ),
  vocabulary: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: MAX_TERMS,
      description: 'Distinctive terms, for this job only',
    }),
  ),
  language: Type.Optional(
    Type.String({
      description: `Of the Recap summary alone: ${SUMMARY_LANGUAGES.join(', ')}. What is spoken is detected.`,
    }),
  ),
  trace: Type.Optional(
    Type.Boolean({
      description: 'Redact personal data; not together with diarize or channel',
      default: false,
    }),
  ),
  rule_pack: Type.Optional(
    Type.Object({
      entities: Type.Array(Type.Enum(PII_ENTITIES), {
        minItems: 1,
        uniqueItems: true,
        description: `What \`trace\` looks for; ${DEFAULT_PII_ENTITIES.join(', ')} by default`,
      }),
    }),
  ),
  diarize: Type.Optional(Type.Boolean({ description: 'Name the speaker of each segment', default: false })),
  speakers: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 20,
      description: 'How many people speak, where you know it; with `diarize`',
    }),
  ),
  channel: Type.Optional(
    Type.Boolean({ description: 'Transcribe each of two channels for itself', default: false }),
  ),
  numerals: Type.Optional(Type.Enum(['digits', 'words'], { default: 'digits' })),
  external_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'Whose recording it is, as you call them: `DELETE /v1/customers/{external_id}` removes it',
    }),
  ),
};

export const JobOptions = Type.Object(options);

export const JobSubmission = Type.Object({
  audio_url: Type.String({ maxLength: MAX_URL_CHARACTERS, description: 'https URL of the audio' }),
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
