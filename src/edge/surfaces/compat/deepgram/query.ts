/**
 * Sorts Deepgram's options into those that are supported, those that are ignored and reported, and `redact`, which is
 * rejected for entities that cannot be redacted.
 */
import Type, { type Static } from 'typebox';
import { MAX_URL_CHARACTERS } from '../../../../foundation/platform/url-gate/index.ts';
import { INPUT_ENCODINGS } from './live-input.ts';
import { LIVE_ENCODINGS } from './live-sound.ts';
import { REDACTIONS } from './redaction.ts';

const Flag = Type.Optional(Type.String({ maxLength: 16 }));
const Text = Type.Optional(Type.String({ maxLength: 256 }));
const IGNORED = 'Accepted; changes nothing here, and the answer says so';

const OPTIONS = [
  'punctuate',
  'smart_format',
  'filler_words',
  'dictation',
  'profanity_filter',
  'numerals',
  'measurements',
  'paragraphs',
  'tag',
  'extra',
  'version',
  'mip_opt_out',
  'keywords',
  'keyterm',
  'utt_split',
  'no_delay',
  'callback',
  'callback_method',
  'multichannel',
  'diarize',
  'diarize_model',
  'diarize_version',
  'detect_language',
  'replace',
  'search',
  'summarize',
  'topics',
  'intents',
  'sentiment',
  'detect_entities',
  'custom_topic',
  'custom_intent',
  'custom_topic_mode',
  'custom_intent_mode',
] as const;
type Option = (typeof OPTIONS)[number];

/** Deepgram's clients send parameters beyond the described ones, so unknown ones are accepted. */
const open = { additionalProperties: true } as const;
const described = (names: readonly Option[], description: string) =>
  Object.fromEntries(names.map((name) => [name, Type.Optional(Type.Unsafe<unknown>({ description }))]));

const common = {
  model: Type.Optional(
    Type.String({ maxLength: 128, description: 'Any name of Deepgram’s; one model answers them all' }),
  ),
  language: Type.Optional(
    Type.String({
      maxLength: 16,
      description: '`en`, `en-US`…: its first part counts. `multi`: it is found',
    }),
  ),
  redact: Type.Optional(
    Type.Unsafe<unknown>({
      description: `Any of ${Object.keys(REDACTIONS).join(', ')}; others are refused`,
    }),
  ),
};

export const PrerecordedQuery = Type.Object(
  {
    ...common,
    ...described(OPTIONS, IGNORED),
    detect_language: Type.Optional(
      Type.Unsafe<unknown>({ description: 'The language is found where none is said' }),
    ),
    diarize: Type.Optional(Type.String({ maxLength: 16, description: '`true` tells the speakers apart' })),
    utterances: Type.Optional(
      Type.String({ maxLength: 16, description: '`true` adds `results.utterances`' }),
    ),
    multichannel: Type.Optional(
      Type.String({ maxLength: 16, description: '`true` transcribes each of two channels by itself' }),
    ),
    paragraphs: Type.Optional(
      Type.String({ maxLength: 16, description: '`true` adds paragraphs, as `smart_format` does' }),
    ),
    callback: Type.Optional(
      Type.String({
        maxLength: MAX_URL_CHARACTERS,
        description: 'https URL that gets the transcript; the answer is the id of the request at once',
      }),
    ),
    callback_method: Type.Optional(
      Type.String({ maxLength: 8, description: '`post` unless said, or `put`' }),
    ),
    smart_format: Flag,
    encoding: Type.Optional(
      Type.String({
        maxLength: 32,
        description: `Of raw sound: ${LIVE_ENCODINGS.join(', ')}. A container says it itself`,
      }),
    ),
    sample_rate: Type.Optional(
      Type.String({ maxLength: 8, description: 'Of raw sound; 8000 by default, 16000 of linear16' }),
    ),
    channels: Type.Optional(Type.String({ maxLength: 2, description: 'Of raw sound, which are mixed' })),
  },
  open,
);
export type PrerecordedQuery = Static<typeof PrerecordedQuery>;
const PRERECORDED = new Set([
  ...['model', 'language', 'redact', 'detect_language', 'diarize', 'utterances', 'paragraphs'],
  ...['smart_format', 'encoding', 'sample_rate', 'channels', 'multichannel'],
  ...['callback', 'callback_method'],
]);

const live = {
  ...common,
  detect_language: Flag,
  encoding: Type.Optional(
    Type.Enum([...INPUT_ENCODINGS], {
      description:
        'Of raw sound, `linear16` by default; `opus` is a packet a message. Containers say it themselves',
    }),
  ),
  sample_rate: Type.Optional(
    Type.String({
      description: '8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100 or 48000',
      default: '16000; 8000 with mulaw and alaw',
    }),
  ),
  channels: Type.Optional(Type.String({ description: '1 to 8, which are mixed', default: '1' })),
  interim_results: Flag,
  endpointing: Type.Optional(
    Type.String({ maxLength: 8, description: 'Milliseconds of silence, 100 to 3000, or `false`' }),
  ),
  utterance_end_ms: Type.Optional(
    Type.String({
      maxLength: 8,
      description: '1000 to 5000: an `UtteranceEnd` so long after the last words',
    }),
  ),
  vad_events: Flag,
  token: Text,
};
const LIVE = new Set([...Object.keys(live), 'api_key']);

export const LiveQuery = Type.Object({
  ...described(OPTIONS, `${IGNORED}: \`Metadata.warnings\``),
  ...live,
});

export const isOn = (value: unknown): boolean => String(value ?? '').toLowerCase() === 'true';

const OFF = new Set(['false', '', '0', 'undefined']);

const ignoredExcept =
  (served: ReadonlySet<string>) =>
  (said: Readonly<Record<string, unknown>>): string[] =>
    Object.keys(said).filter((name) => !served.has(name) && !OFF.has(String(said[name]).toLowerCase()));

export const ignoredOfLive = ignoredExcept(LIVE);
const WITH_CALLBACK = new Set(
  [...PRERECORDED].filter((name) => name !== 'language' && name !== 'detect_language'),
);
export const ignoredOfPrerecorded = (said: Readonly<Record<string, unknown>>): string[] =>
  ignoredExcept(said.callback === undefined ? PRERECORDED : WITH_CALLBACK)(said);

export const Warning = Type.Object({
  parameter: Type.String(),
  type: Type.String(),
  message: Type.String(),
});

export const warningsOf = (ignored: readonly string[]) =>
  ignored.map((parameter) => ({
    parameter,
    type: 'unsupported_parameter',
    message: `${parameter} is not served here and changed nothing.`,
  }));

export function languageOf(said: string | undefined | null): string | null {
  if (said === undefined || said === null || said === '' || said === 'multi') return null;
  return said.split('-')[0]!.toLowerCase();
}
