import Type, { type Static } from 'typebox';

export const FORMATS = {
  mp3_22050_32: { format: 'mp3' },
  mp3_24000_48: { format: 'mp3' },
  mp3_44100_32: { format: 'mp3' },
  mp3_44100_64: { format: 'mp3' },
  mp3_44100_96: { format: 'mp3' },
  mp3_44100_128: { format: 'mp3' },
  mp3_44100_192: { format: 'mp3' },
  pcm_8000: { format: 'pcm', sampleRate: 8000 },
  pcm_16000: { format: 'pcm', sampleRate: 16_000 },
  pcm_22050: { format: 'pcm', sampleRate: 22_050 },
  pcm_24000: { format: 'pcm' },
  pcm_32000: { format: 'pcm', sampleRate: 32_000 },
  pcm_44100: { format: 'pcm', sampleRate: 44_100 },
  pcm_48000: { format: 'pcm', sampleRate: 48_000 },
  wav_8000: { format: 'wav', sampleRate: 8000 },
  wav_16000: { format: 'wav', sampleRate: 16_000 },
  wav_22050: { format: 'wav', sampleRate: 22_050 },
  wav_24000: { format: 'wav' },
  wav_32000: { format: 'wav', sampleRate: 32_000 },
  wav_44100: { format: 'wav', sampleRate: 44_100 },
  wav_48000: { format: 'wav', sampleRate: 48_000 },
  ulaw_8000: { format: 'g711_ulaw' },
  alaw_8000: { format: 'g711_alaw' },
  opus_48000_32: { format: 'opus' },
  opus_48000_64: { format: 'opus' },
  opus_48000_96: { format: 'opus' },
  opus_48000_128: { format: 'opus' },
  opus_48000_192: { format: 'opus' },
} as const;
export type FormatName = keyof typeof FORMATS;
type TimedFormat = Exclude<(typeof FORMATS)[FormatName]['format'], 'opus'>;

/** The mp3 encoder uses 64 kbit/s, and G.711 has 8 kHz. */
const COMPRESSED_BYTES_PER_MS = 8;

export const bytesPerMs = (format: TimedFormat, rate: number): number =>
  format === 'pcm' || format === 'wav' ? (rate * 2) / 1000 : COMPRESSED_BYTES_PER_MS;

const IGNORED = 'Accepted for compatibility; has no effect';
export const Ignored = Type.Optional(Type.Unsafe<unknown>({ description: IGNORED }));

export const SpeechQuery = Type.Object({
  output_format: Type.Optional(
    Type.Enum(Object.keys(FORMATS) as FormatName[], {
      default: 'mp3_44100_128',
      description:
        'The output format. Regardless of the name, MP3 has 24 kHz and 64 kbit/s, and Opus 32 kbit/s.',
    }),
  ),
  enable_logging: Ignored,
  optimize_streaming_latency: Ignored,
});
export type SpeechQuery = Static<typeof SpeechQuery>;

export const SpeechBody = Type.Object({
  text: Type.String({ description: 'The text to speak, at most 4,096 characters.' }),
  model_id: Type.Optional(
    Type.Union([Type.String({ maxLength: 128 }), Type.Null()], {
      description: 'An ElevenLabs model name. All names are served by the same model.',
    }),
  ),
  language_code: Type.Optional(
    Type.Unsafe<unknown>({ description: `${IGNORED}: the voice determines the language.` }),
  ),
  voice_settings: Type.Optional(
    Type.Union([
      Type.Object(
        { speed: Type.Optional(Type.Union([Type.Number({ minimum: 0.25, maximum: 4 }), Type.Null()])) },
        { additionalProperties: true, description: 'Only `speed` has an effect.' },
      ),
      Type.Null(),
    ]),
  ),
  seed: Ignored,
  previous_text: Ignored,
  next_text: Ignored,
  previous_request_ids: Ignored,
  next_request_ids: Ignored,
  apply_text_normalization: Ignored,
  apply_language_text_normalization: Ignored,
  use_pvc_as_ivc: Ignored,
});
export type SpeechBody = Static<typeof SpeechBody>;

export const SpeechParams = Type.Object({
  voice_id: Type.String({ examples: ['heart_en_us'], description: 'An ID or alias from GET /v1/voices.' }),
});

export const Alignment = Type.Object({
  characters: Type.Array(Type.String()),
  character_start_times_seconds: Type.Array(Type.Number()),
  character_end_times_seconds: Type.Array(Type.Number()),
});
export type Alignment = Static<typeof Alignment>;

export const Timestamped = Type.Object({
  audio_base64: Type.String(),
  alignment: Alignment,
  normalized_alignment: Alignment,
});

export const VoiceModel = Type.Object({
  voice_id: Type.String(),
  name: Type.String(),
  category: Type.Enum(['premade', 'cloned', 'generated']),
  labels: Type.Record(Type.String(), Type.String()),
  description: Type.String(),
  available_for_tiers: Type.Array(Type.String()),
  is_owner: Type.Boolean(),
});
