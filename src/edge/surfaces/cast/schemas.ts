import Type, { type Static } from 'typebox';
import { mergePatchOf } from '../../../foundation/platform/merge-patch.ts';
import { PageQuery } from '../../../foundation/platform/pages.ts';
import {
  AUDIO_FORMATS,
  CAPTION_FORMATS,
  CONTROLS,
  EMOTIONS,
  FORMATS,
  GENDERS,
  LIMITS,
  LONGEST_STRESSED,
  MOST_STRESSED,
} from '../../../products/cast/index.ts';
import { PRONUNCIATION_LIMITS } from '../../../speech/voices/index.ts';

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const strict = { additionalProperties: false } as const;
const control = (name: keyof typeof CONTROLS, description: string) =>
  Type.Number({
    minimum: CONTROLS[name].least,
    maximum: CONTROLS[name].most,
    description: `${description} Default: ${CONTROLS[name].default}.`,
  });
const controls = {
  pace: control('pace', 'The speech rate; 1 is the voice’s own rate.'),
  pitch: control('pitch', 'The pitch of the voice.'),
  melody: control('melody', 'The pitch variation: below 1 is flatter, above 1 is livelier.'),
  energy_db: control('energy_db', 'The level relative to the other lines, in decibels.'),
  emotion: Type.Enum([...EMOTIONS]),
  emphasis: Type.Array(Type.String({ minLength: 1, maxLength: LONGEST_STRESSED }), {
    maxItems: MOST_STRESSED,
    description: 'Words or phrases of the line to emphasize, exactly as they appear in it.',
  }),
  pause_before_ms: control(
    'pause_before_ms',
    'The pause after the previous line in milliseconds. With a negative value, the line starts before the previous line has ended.',
  ),
};
const Direction = Type.Partial(Type.Object(controls, strict));
const DirectionChange = mergePatchOf(controls);

const SpeakerName = Type.String({ minLength: 1, maxLength: LIMITS.speaker_characters });
const VoiceName = Type.String({ minLength: 1, maxLength: 128 });
const Chapter = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The title of the chapter that starts with this line.',
});
const Note = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The writer’s note on how to say the line.',
});
const Seed = Type.Integer({
  minimum: 0,
  maximum: 2_147_483_647,
  description: 'A different seed produces a different take.',
});
const Text = Type.String({
  minLength: 1,
  description: `Up to ${LIMITS.line_characters} characters. \`[pause 500ms]\` inserts silence, and \`*word*\` is emphasized.`,
});
const Id = Type.String({ maxLength: 256 });

const GivenLine = Type.Object(
  {
    id: Type.Optional(
      Type.String({ maxLength: 64, description: 'The ID of an existing line of the project.' }),
    ),
    speaker: Type.Optional(SpeakerName),
    text: Text,
    voice: Type.Optional(nullable(VoiceName)),
    chapter: Type.Optional(nullable(Chapter)),
    note: Type.Optional(nullable(Note)),
    direction: Type.Optional(Direction),
    seed: Type.Optional(Seed),
  },
  strict,
);
const GivenSpeaker = Type.Object(
  {
    name: SpeakerName,
    voice: Type.Optional(VoiceName),
    gender: Type.Optional(
      Type.Enum([...GENDERS], {
        description: 'The gender of the voice that is assigned if `voice` is not set.',
      }),
    ),
  },
  strict,
);
const Pronunciation = Type.Object(
  {
    word: Type.String({ minLength: 1, maxLength: PRONUNCIATION_LIMITS.word }),
    say: Type.String({ minLength: 1, maxLength: PRONUNCIATION_LIMITS.say }),
  },
  strict,
);

const given = {
  title: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  language: Type.Optional(
    Type.String({
      pattern: '^[a-z]{2}$',
      description: 'The language of the assigned voices. Defaults to `en`.',
    }),
  ),
  script: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The script; an alternative to `lines`.',
      examples: ['ANNA: Good morning!\nBEN: (tired) Is it morning?'],
    }),
  ),
  script_format: Type.Optional(
    Type.Enum([...FORMATS], { description: 'Detected from the script by default.' }),
  ),
  lines: Type.Optional(Type.Array(GivenLine, { minItems: 1, maxItems: LIMITS.lines })),
  speakers: Type.Optional(Type.Array(GivenSpeaker, { maxItems: LIMITS.speakers })),
  pronunciations: Type.Optional(Type.Array(Pronunciation, { maxItems: LIMITS.pronunciations })),
};
const ExternalId = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'Your ID for the data subject who is quoted.',
});
export const NewProject = Type.Object({ ...given, external_id: Type.Optional(nullable(ExternalId)) }, strict);
export type NewProject = Static<typeof NewProject>;
export const ProjectChange = mergePatchOf(NewProject.properties, ['script', 'lines']);
export type ProjectChange = Static<typeof ProjectChange>;

export const LineBody = mergePatchOf(
  {
    speaker: SpeakerName,
    text: Text,
    voice: VoiceName,
    chapter: Chapter,
    note: Note,
    direction: DirectionChange,
    seed: Seed,
  },
  ['text'],
);
export type LineBody = Static<typeof LineBody>;

export const Line = Type.Object({
  id: Type.String(),
  speaker: Type.String(),
  text: Type.String(),
  voice: nullable(Type.String({ description: 'The voice of this line, which overrides the speaker’s.' })),
  chapter: nullable(Type.String()),
  note: nullable(Type.String()),
  direction: Type.Partial(Type.Object(controls)),
  directed_by: nullable(Type.Enum(['writer', 'model', 'rules'])),
  seed: Type.Integer(),
});
const Warning = Type.Object({
  code: Type.String(),
  message: Type.String(),
  line: Type.Optional(Type.Integer({ description: 'The line of the script, starting at 1.' })),
});
const project = {
  id: Type.String(),
  object: Type.Literal('cast.project'),
  title: Type.String(),
  language: Type.String(),
  speakers: Type.Array(
    Type.Object({
      name: Type.String(),
      voice: Type.String(),
      chosen_by: Type.Enum(['writer', 'platform']),
      gender: nullable(Type.Enum([...GENDERS])),
    }),
  ),
  pronunciations: Type.Array(Type.Object({ word: Type.String(), say: Type.String() })),
  line_count: Type.Integer(),
  warnings: Type.Array(Warning),
  external_id: nullable(Type.String()),
  revision: Type.Integer({ description: 'The revision number; it increases with each change.' }),
  created_at: Type.Integer(),
  updated_at: Type.Integer(),
};
export const ProjectItem = Type.Object(project);
export const Project = Type.Object({ ...project, lines: Type.Array(Line) });
const page = <T extends Parameters<typeof Type.Array>[0]>(item: T) =>
  Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(item),
    next_cursor: nullable(Type.String()),
  });
export const ProjectList = page(ProjectItem);
export const ListQuery = PageQuery;

export const ProjectParams = Type.Object({ id: Id });
export type ProjectParams = Static<typeof ProjectParams>;
export const LineParams = Type.Object({ id: Id, line_id: Id });
export type LineParams = Static<typeof LineParams>;
export const DirectBody = Type.Object(
  {
    lines: Type.Optional(
      Type.Array(Id, {
        minItems: 1,
        maxItems: LIMITS.lines,
        description: 'The IDs of the lines. Defaults to all lines without a direction.',
      }),
    ),
    again: Type.Optional(
      Type.Boolean({ description: 'Whether to replace existing directions too, except those by a writer.' }),
    ),
  },
  strict,
);
export type DirectBody = Static<typeof DirectBody>;

export const RenderBody = Type.Object(
  {
    format: Type.Optional(Type.Enum([...AUDIO_FORMATS], { default: 'mp3' })),
    stems: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether to create a separate file for each speaker as well.',
      }),
    ),
    loudness_lufs: Type.Optional(Type.Number({ minimum: -31, maximum: -12, default: -16 })),
    room_tone_dbfs: Type.Optional(
      nullable(
        Type.Number({
          minimum: -90,
          maximum: -48,
          description:
            'The level of background noise under the whole recording; null means none. Default: -66.',
        }),
      ),
    ),
  },
  strict,
);
export type RenderBody = Static<typeof RenderBody>;

const RenderStatus = Type.Enum(['queued', 'rendering', 'completed', 'failed', 'cancelled']);

export const RenderQuery = Type.Object({ ...PageQuery.properties, status: Type.Optional(RenderStatus) });
export type RenderQuery = Static<typeof RenderQuery>;

export const Render = Type.Object({
  id: Type.String(),
  object: Type.Literal('cast.render'),
  project_id: Type.String(),
  status: RenderStatus,
  format: Type.Enum([...AUDIO_FORMATS]),
  stems: Type.Boolean(),
  loudness_lufs: Type.Number(),
  room_tone_dbfs: nullable(Type.Number()),
  progress: Type.Number({ minimum: 0, maximum: 1 }),
  lines_total: Type.Integer(),
  lines_done: Type.Integer({ description: 'Lines that are synthesized, in this render or an earlier one.' }),
  duration_ms: nullable(Type.Integer()),
  billed_ms: nullable(Type.Integer({ description: 'The duration of the audio that was newly synthesized.' })),
  loudness: nullable(
    Type.Object({
      integrated_lufs: Type.Number(),
      true_peak_dbtp: Type.Number(),
      range_lu: Type.Number(),
      largest_short_term_lufs: Type.Number(),
      gain_db: Type.Number(),
    }),
  ),
  timeline: nullable(
    Type.Array(
      Type.Object({
        line_id: Type.String(),
        speaker: Type.String(),
        voice: Type.String(),
        start_ms: Type.Integer(),
        end_ms: Type.Integer(),
        cached: Type.Boolean(),
      }),
    ),
  ),
  chapters: nullable(Type.Array(Type.Object({ title: Type.String(), start_ms: Type.Integer() }))),
  stem_speakers: nullable(Type.Array(Type.String())),
  audio_available: Type.Boolean(),
  error: nullable(Type.String()),
  created_at: Type.Integer(),
  started_at: nullable(Type.Integer()),
  completed_at: nullable(Type.Integer()),
});
export const RenderList = page(Render);
export const RenderParams = Type.Object({ id: Id });
export type RenderParams = Static<typeof RenderParams>;
export const AudioQuery = Type.Object({
  stem: Type.Optional(
    Type.String({ maxLength: 256, description: 'The name of a speaker, to get only their audio.' }),
  ),
});
export type AudioQuery = Static<typeof AudioQuery>;
export const CaptionQuery = Type.Object({
  format: Type.Optional(Type.Enum([...CAPTION_FORMATS], { default: 'vtt' })),
});
export type CaptionQuery = Static<typeof CaptionQuery>;
export const deletedOf = <Name extends string>(name: Name) =>
  Type.Object({ id: Type.String(), object: Type.Literal(name), deleted: Type.Literal(true) });

export const Capabilities = Type.Object({
  object: Type.Literal('cast.capabilities'),
  voices: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      language: Type.String(),
      gender: nullable(Type.Enum(['female', 'male'])),
      source: Type.Enum(['stock', 'clone', 'design']),
      emotions: Type.Array(Type.String()),
      emphasis: Type.Boolean({ description: 'Whether the voice supports emphasis.' }),
      aliases: Type.Array(Type.String()),
    }),
  ),
  controls: Type.Record(
    Type.String(),
    Type.Object({ least: Type.Number(), most: Type.Number(), default: Type.Number(), unit: Type.String() }),
  ),
  emotions: Type.Array(Type.String()),
  pause_mark: Type.String(),
  emphasis_mark: Type.String(),
  script_formats: Type.Array(Type.String()),
  audio_formats: Type.Array(Type.String()),
  caption_formats: Type.Array(Type.String()),
  loudness: Type.Object({ default_lufs: Type.Number(), true_peak_dbtp: Type.Number() }),
  direction: Type.Array(Type.Enum(['model', 'rules'])),
  limits: Type.Record(Type.String(), Type.Integer()),
});
