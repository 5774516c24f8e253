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
const IGNORED = 'Accepted for compatibility; has no effect, and the response says so.';

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
    Type.String({
      maxLength: 128,
      description: 'A Deepgram model name. All names are served by the same model.',
    }),
  ),
  language: Type.Optional(
    Type.String({
      maxLength: 16,
      description:
        'A language code such as `en` or `en-US`, of which only the language is used; `multi` detects the language.',
    }),
  ),
  redact: Type.Optional(
    Type.Unsafe<unknown>({
      description: `One or more of ${Object.keys(REDACTIONS).join(', ')}. Other values are rejected.`,
    }),
  ),
};

export const PrerecordedQuery = Type.Object(
  {
    ...common,
    ...described(OPTIONS, IGNORED),
    detect_language: Type.Optional(
      Type.Unsafe<unknown>({ description: 'Whether to detect the language if `language` is not set.' }),
    ),
    diarize: Type.Optional(
      Type.String({ maxLength: 16, description: '`true` labels words with their speaker.' }),
    ),
    utterances: Type.Optional(
      Type.String({ maxLength: 16, description: '`true` adds `results.utterances`.' }),
    ),
    multichannel: Type.Optional(
      Type.String({ maxLength: 16, description: '`true` transcribes the two channels separately.' }),
    ),
    paragraphs: Type.Optional(
      Type.String({ maxLength: 16, description: '`true` adds paragraphs, as `smart_format` does.' }),
    ),
    callback: Type.Optional(
      Type.String({
        maxLength: MAX_URL_CHARACTERS,
        description:
          'HTTPS URL to which the transcript is sent. The response then contains only the request ID and is returned immediately.',
      }),
    ),
    callback_method: Type.Optional(
      Type.String({
        maxLength: 8,
        description: 'The HTTP method of the callback: `post` (default) or `put`.',
      }),
    ),
    smart_format: Flag,
    encoding: Type.Optional(
      Type.String({
        maxLength: 32,
        description: `The encoding of raw audio: ${LIVE_ENCODINGS.join(', ')}. Not needed for container formats.`,
      }),
    ),
    sample_rate: Type.Optional(
      Type.String({
        maxLength: 8,
        description:
          'The sample rate of raw audio. Defaults to 16000 for linear16 and to 8000 for other encodings.',
      }),
    ),
    channels: Type.Optional(
      Type.String({
        maxLength: 2,
        description: 'The number of channels of raw audio; they are mixed into one.',
      }),
    ),
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
        'The encoding of raw audio; defaults to `linear16`. With `opus`, each message is one packet. Not needed for container formats.',
    }),
  ),
  sample_rate: Type.Optional(
    Type.String({
      description:
        'The sample rate of raw audio: 8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100 or 48000.',
      default: '16000; 8000 with mulaw and alaw',
    }),
  ),
  channels: Type.Optional(
    Type.String({ description: 'The number of channels, 1 to 8; they are mixed into one.', default: '1' }),
  ),
  interim_results: Flag,
  endpointing: Type.Optional(
    Type.String({
      maxLength: 8,
      description: 'Milliseconds of silence that end an utterance, 100 to 3000, or `false`.',
    }),
  ),
  utterance_end_ms: Type.Optional(
    Type.String({
      maxLength: 8,
      description: 'Milliseconds after the last word at which `UtteranceEnd` is sent, 1000 to 5000.',
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
    message: `${parameter} is not supported by this server and had no effect.`,
  }));

export function languageOf(said: string | undefined | null): string | null {
  if (said === undefined || said === null || said === '' || said === 'multi') return null;
  return said.split('-')[0]!.toLowerCase();
}
