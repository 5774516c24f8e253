/** Deepgram's options: those that mean something here, those that change nothing, and those that are refused because
 * whoever asks for them would miss what they do. */
import Type, { type Static } from 'typebox';
import { ApiError } from '../../../../foundation/platform/errors.ts';

const Flag = Type.Optional(Type.String({ maxLength: 16 }));
const Text = Type.Optional(Type.String({ maxLength: 256 }));
const IGNORED = 'Accepted; changes nothing here';
const REFUSED = 'Refused where it is on: nothing here does it';

const ignored = [
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
] as const;
const refused = [
  'callback',
  'callback_method',
  'multichannel',
  'diarize',
  'diarize_model',
  'diarize_version',
  'redact',
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

const described = (names: readonly string[], description: string) =>
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
  ...described(ignored, IGNORED),
  ...described(refused, REFUSED),
};

export const PrerecordedQuery = Type.Object({
  ...common,
  detect_language: Type.Optional(
    Type.Unsafe<unknown>({ description: 'The language is found where none is said' }),
  ),
  utterances: Type.Optional(Type.String({ maxLength: 16, description: '`true` adds `results.utterances`' })),
  encoding: Type.Optional(Type.String({ maxLength: 32, description: 'The bytes say it themselves' })),
});
export type PrerecordedQuery = Static<typeof PrerecordedQuery>;

export const LiveQuery = Type.Object({
  ...common,
  encoding: Type.Optional(Type.Literal('linear16', { description: 'Raw PCM16, little-endian' })),
  sample_rate: Type.Optional(
    Type.String({ description: '8000, 16000, 24000, 44100 or 48000', default: '16000' }),
  ),
  channels: Type.Optional(Type.Literal('1')),
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
});

const OFF = new Set(['false', '', '0']);

/** Throws for an option that is on and refused; answers those that are on and change nothing. */
export function checkOptions(said: Readonly<Record<string, unknown>>): string[] {
  const on = Object.keys(said).filter((name) => !OFF.has(String(said[name]).toLowerCase()));
  for (const name of on) {
    if (!(refused as readonly string[]).includes(name)) continue;
    throw new ApiError('invalid_request', `${name} is not served here; leave it out or switch it off.`, {
      param: name,
    });
  }
  return on.filter((name) => (ignored as readonly string[]).includes(name));
}

/** Null: it is to be found. */
export function languageOf(said: string | undefined | null): string | null {
  if (said === undefined || said === null || said === '' || said === 'multi') return null;
  return said.split('-')[0]!.toLowerCase();
}
