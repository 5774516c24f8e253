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
  source: Type.Enum(SOURCES, { description: 'The source language.' }),
  target: Type.Enum(TARGETS, {
    description: 'The target language. GET /healthz/dub lists the currently available directions.',
  }),
  voice: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'One voice of the target language for all speakers. By default, each speaker gets a voice similar to their own.',
    }),
  ),
  consent: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Whether the speakers have consented to voices similar to theirs. Needs the scope speak:clone.',
    }),
  ),
  glossary: Type.Optional(
    Type.Record(Type.String({ minLength: 1, maxLength: 100 }), Term, {
      maxProperties: MAX_TERMS,
      description: 'Source terms mapped to their translations.',
    }),
  ),
  background: Type.Optional(
    Type.Enum(BACKGROUNDS, {
      default: 'separate',
      description:
        'The background under the new voices: `separate` removes the original voices, `duck` lowers the whole original, and `none` leaves it out.',
    }),
  ),
  format: Type.Optional(
    Type.Enum(SOUND_FORMATS, {
      default: 'mp3',
      description: 'The output format of a dubbed recording. A dubbed video keeps its format.',
    }),
  ),
  external_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description:
        'Your ID of the person whose recording it is. `DELETE /v1/customers/{external_id}` deletes the dub.',
    }),
  ),
};

export const DubOptions = Type.Object(options);
export type DubOptions = Static<typeof DubOptions>;

export const DubSubmission = Type.Object({
  audio_url: Type.String({
    maxLength: MAX_URL_CHARACTERS,
    description: 'HTTPS URL of the recording or video.',
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
      voice: Nullable(
        Type.String({
          description: 'The voice; null for a voice derived from the speaker, which exists only in this dub.',
        }),
      ),
      pitch_hz: Nullable(Type.Number()),
      voice_pitch_hz: Nullable(Type.Number()),
      likeness: Nullable(
        Type.Number({
          description:
            'The similarity of the speaker and the voice. Two different speakers reach about 0.3, two recordings of the same speaker about 0.8.',
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
  start: Type.Number({ description: 'The start in seconds.' }),
  end: Type.Number(),
  text: Type.String({ description: 'The original text.' }),
  translation: Nullable(Type.String()),
  translated_by: Nullable(
    Type.String({ description: '`model`, `whisper`, `apertium`, or `you` for a translation that you set.' }),
  ),
  voice: Nullable(
    Type.String({ description: 'The voice chosen for this segment; null uses the speaker’s voice.' }),
  ),
  spoken: Nullable(
    Type.Object({
      voice: Type.String(),
      text: Type.String({
        description: 'The spoken text. It is shorter than the translation if `fit` is `reworded` or `cut`.',
      }),
      at_ms: Type.Integer(),
      duration_ms: Type.Integer(),
      rate: Type.Number({ description: 'The speech rate relative to the voice’s own rate.' }),
      fit: Type.Enum(['fits', 'short', 'long', 'reworded', 'cut']),
      error_ms: Type.Integer({
        description: 'How many milliseconds later than the original the segment ends.',
      }),
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
          Nullable({ ...Words, description: 'The translation. null translates `text` again.' }),
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
      description: 'The source or target language. Defaults to the target language.',
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
      via: Nullable(
        Type.String({ description: 'The intermediate language, if there is no direct translation.' }),
      ),
      keeps_glossary: Type.Boolean(),
      shortens: Type.Boolean({
        description: 'Whether the translation can be shortened to fit the available time.',
      }),
      others: Type.Array(Type.String({ description: 'Fallbacks if the translation fails.' })),
    }),
  ),
});
