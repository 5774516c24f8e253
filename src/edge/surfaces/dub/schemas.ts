import Type, { type Static } from 'typebox';
import { MERGES } from '../../../foundation/platform/merge-patch.ts';
import { PageQuery } from '../../../foundation/platform/pages.ts';
import { MAX_URL_CHARACTERS } from '../../../foundation/platform/url-gate/index.ts';
import {
  BACKGROUNDS,
  CAPTION_FORMATS,
  SOUND_FORMATS,
  SOURCES,
  TARGETS,
} from '../../../products/dub/index.ts';

const MAX_TERMS = 200;
const MAX_CHANGES = 500;

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const Term = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' });

const options = {
  source: Type.Enum(SOURCES, { description: 'The language that is spoken' }),
  target: Type.Enum(TARGETS, {
    description: 'The language to dub into: GET /healthz/dub lists what works now',
  }),
  voice: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'One voice for all, that speaks the target language; without it each speaker gets one that is like theirs',
    }),
  ),
  consent: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'The speakers agreed that voices like theirs are made; needs the scope speak:clone',
    }),
  ),
  glossary: Type.Optional(
    Type.Record(Type.String({ minLength: 1, maxLength: 100 }), Term, {
      maxProperties: MAX_TERMS,
      description: 'Terms of the source and how they are said in the target',
    }),
  ),
  background: Type.Optional(
    Type.Enum(BACKGROUNDS, {
      default: 'separate',
      description: 'Under the new voices: the sound without the old ones, all of it lowered, or nothing',
    }),
  ),
  format: Type.Optional(
    Type.Enum(SOUND_FORMATS, { default: 'mp3', description: 'Of a dubbed recording; a video keeps its own' }),
  ),
  external_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'Whose recording it is, as you call them: `DELETE /v1/customers/{external_id}` removes it',
    }),
  ),
};

export const DubOptions = Type.Object(options);
export type DubOptions = Static<typeof DubOptions>;

export const DubSubmission = Type.Object({
  audio_url: Type.String({
    maxLength: MAX_URL_CHARACTERS,
    description: 'https URL of the recording or video',
  }),
  ...options,
});
export type DubSubmission = Static<typeof DubSubmission>;

const Status = Type.Enum(['queued', 'transcribing', 'translating', 'synthesizing', 'done', 'error']);

export const DubQuery = Type.Object({ ...PageQuery.properties, status: Type.Optional(Status) });
export type DubQuery = Static<typeof DubQuery>;
const Moment = Nullable(Type.Integer());

export const Dub = Type.Object({
  id: Type.String(),
  object: Type.Literal('dub'),
  status: Status,
  source: Type.Enum(SOURCES),
  target: Type.Enum(TARGETS),
  voice: Nullable(Type.String()),
  background: Type.Enum(BACKGROUNDS),
  glossary: Type.Record(Type.String(), Type.String()),
  progress: Type.Number({ minimum: 0, maximum: 1 }),
  duration_s: Nullable(Type.Number()),
  video: Nullable(Type.Boolean()),
  speakers: Type.Array(
    Type.Object({
      speaker: Type.String(),
      voice: Nullable(Type.String({ description: 'Null: made from the speaker, for this dub alone' })),
      pitch_hz: Nullable(Type.Number()),
      voice_pitch_hz: Nullable(Type.Number()),
      likeness: Nullable(
        Type.Number({
          description: 'Of the speaker and the voice: two strangers reach about 0.3, one speaker twice 0.8',
        }),
      ),
    }),
  ),
  revision: Type.Integer({ minimum: 1 }),
  output: Nullable(Type.Object({ content_type: Type.String(), bytes: Type.Integer() })),
  external_id: Nullable(Type.String()),
  created_at: Type.Integer(),
  started_at: Moment,
  completed_at: Moment,
  audio_removed_at: Moment,
  error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
});

export const DubPage = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Dub),
  next_cursor: Nullable(Type.String()),
});

const Segment = Type.Object({
  number: Type.Integer({ minimum: 0 }),
  speaker: Type.String(),
  start: Type.Number({ description: 'Seconds' }),
  end: Type.Number(),
  text: Type.String({ description: 'What was said' }),
  translation: Nullable(Type.String()),
  translated_by: Nullable(Type.String({ description: 'model, whisper, apertium, or you' })),
  voice: Nullable(Type.String({ description: "Chosen for this segment; null: its speaker's" })),
  spoken: Nullable(
    Type.Object({
      voice: Type.String(),
      text: Type.String({
        description: 'What is said: less than the translation where `fit` is reworded or cut',
      }),
      at_ms: Type.Integer(),
      duration_ms: Type.Integer(),
      rate: Type.Number({ description: "Of the voice's own pace" }),
      fit: Type.Enum(['fits', 'short', 'long', 'reworded', 'cut']),
      error_ms: Type.Integer({ description: 'How much later than the original it ends' }),
    }),
  ),
});

export const Segments = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Segment),
});

const Words = Type.String({ minLength: 1, maxLength: 2000, pattern: '\\S' });

export const SegmentChanges = Type.Object({
  segments: Type.Array(
    Type.Object(
      {
        number: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
        text: Type.Optional(Words),
        translation: Type.Optional(
          Nullable({ ...Words, description: 'null: the machine translates the text anew' }),
        ),
        voice: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 100 }))),
      },
      MERGES,
    ),
    { minItems: 1, maxItems: MAX_CHANGES },
  ),
});
export type SegmentChanges = Static<typeof SegmentChanges>;

export const Deleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('dub'),
  deleted: Type.Literal(true),
});

export const CaptionQuery = Type.Object({
  language: Type.Optional(
    Type.String({
      minLength: 2,
      maxLength: 2,
      description: 'The source or the target; the target by default',
    }),
  ),
  format: Type.Optional(Type.Enum(CAPTION_FORMATS, { default: 'vtt' })),
});
export type CaptionQuery = Static<typeof CaptionQuery>;

export const Health = Type.Object({
  object: Type.Literal('dub.directions'),
  directions: Type.Array(
    Type.Object({
      source: Type.Enum(SOURCES),
      target: Type.Enum(TARGETS),
      by: Type.Enum(['model', 'whisper', 'apertium']),
      via: Nullable(Type.String({ description: 'The language between, where there is no direct way' })),
      keeps_glossary: Type.Boolean(),
      shortens: Type.Boolean({ description: 'Can be asked for a shorter wording where there is no time' }),
      others: Type.Array(Type.String({ description: 'What stands in where it fails' })),
    }),
  ),
});
