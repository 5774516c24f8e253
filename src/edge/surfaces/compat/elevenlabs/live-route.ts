import Type from 'typebox';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import { HEAR_LANE_RATES, type HearLaneRate } from '../../../../media/engine/index.ts';
import type { AcceptedSocket, SocketRequest, SocketRoute } from '../../../server/surface.ts';
import type { DeepgramDeps } from '../deepgram/index.ts';
import { LiveSound } from '../deepgram/live-sound.ts';
import { type ElevenLabsLiveSettings, ElevenLabsTranscriptionSession } from './live-session.ts';
import { readLanguage } from './transcription-route.ts';

export interface ElevenLabsLiveDeps {
  readonly stream: DeepgramDeps['stream'];
}

/** The limit is several times a second of PCM16 at 48 kHz in base64. */
const MAX_FRAME_BYTES = 512 * 1024;
const MIN_ENDPOINTING_MS = 100;
const MAX_ENDPOINTING_MS = 3000;
const DEFAULT_SILENCE_SECS = 1.5;

const FORMATS = [...HEAR_LANE_RATES].sort((a, b) => a - b).map((rate) => `pcm_${rate}`);
const typed = (name: string, more = {}) => Type.Object({ message_type: Type.Literal(name), ...more });
const Word = Type.Object({
  text: Type.String(),
  type: Type.Enum(['word', 'spacing']),
  start: Type.Number(),
  end: Type.Number(),
  logprob: Type.Number({ description: 'Always 0: this value is not measured.' }),
});

const query = Type.Object({
  model_id: Type.Optional(
    Type.String({ description: 'An ElevenLabs model name. All names are served by the same model.' }),
  ),
  audio_format: Type.Optional(
    Type.Enum([...FORMATS, 'ulaw_8000'], {
      default: 'pcm_16000',
      description: 'The format of the audio: raw, one channel.',
    }),
  ),
  language_code: Type.Optional(
    Type.String({
      description: 'A language code such as `en` or `eng`. If omitted, the language is detected.',
    }),
  ),
  commit_strategy: Type.Optional(
    Type.Enum(['manual', 'vad'], {
      default: 'manual',
      description: '`vad` commits after silence; `manual` commits on request of the client.',
    }),
  ),
  vad_silence_threshold_secs: Type.Optional(
    Type.String({
      description: 'With `vad`: seconds of silence before a commit, limited to 0.1 to 3.',
      default: '1.5',
    }),
  ),
  include_timestamps: Type.Optional(
    Type.String({ description: '`true` also sends each committed transcript with its words.' }),
  ),
  include_language_detection: Type.Optional(
    Type.String({
      description: '`true` also sends the committed transcript with its words, but without a language.',
    }),
  ),
});

export const liveTranscriptionRoute = (deps: ElevenLabsLiveDeps): SocketRoute => ({
  ...deps.stream,
  path: '/elevenlabs/v1/speech-to-text/realtime',
  vendor: 'elevenlabs',
  maxFrameBytes: MAX_FRAME_BYTES,
  messages: {
    title: 'ElevenLabs’ live transcription',
    summary:
      'Streaming recognition in the messages of ElevenLabs’ API. All frames are JSON text frames with Base64-encoded audio.',
    description:
      'Other query options have no effect; `session_started.config.ignored` lists them. The detected language is not reported.',
    query,
    client: [
      {
        name: 'input_audio_chunk',
        summary: 'Append audio; `commit` ends the current segment',
        schema: typed('input_audio_chunk', {
          audio_base_64: Type.String(),
          commit: Type.Optional(Type.Boolean({ default: false })),
          sample_rate: Type.Optional(Type.Integer({ description: 'The sample rate, as in the query.' })),
        }),
      },
    ],
    server: [
      {
        name: 'session_started',
        summary: 'Sent first, when the connection opens',
        schema: typed('session_started', {
          session_id: Type.String(),
          config: Type.Object({}, { additionalProperties: true }),
        }),
      },
      {
        name: 'partial_transcript',
        summary: 'An interim transcript since the last commit',
        schema: typed('partial_transcript', { text: Type.String() }),
      },
      {
        name: 'committed_transcript',
        summary: 'The final transcript of a committed segment',
        schema: typed('committed_transcript', { text: Type.String() }),
      },
      {
        name: 'committed_transcript_with_timestamps',
        summary:
          'The final transcript with its words; sent if `include_timestamps` or `include_language_detection` is set',
        schema: typed('committed_transcript_with_timestamps', {
          text: Type.String(),
          words: Type.Array(Word),
        }),
      },
      {
        name: 'error',
        summary: 'Sent when an error occurs; message_type is the kind of error',
        schema: Type.Object({ message_type: Type.String(), error: Type.String() }),
      },
    ],
  },
  accept: (request) => accept(deps, request),
});

async function accept(deps: ElevenLabsLiveDeps, request: SocketRequest): Promise<AcceptedSocket> {
  const { settings, rate, query } = translate(request.query);
  const accepted = await deps.stream.accept({ ...request, query }, { partials: true, stable: false, rate });
  return {
    open: (socket) => new ElevenLabsTranscriptionSession(accepted, socket, settings),
    abandon: () => accepted.abandon?.(),
  };
}

/** Clients that ask for the language read only the second copy of a commit. */
const LANGUAGE_DETECTION = 'include_language_detection';
const SERVED = new Set([...Object.keys(query.properties), 'token']);
SERVED.delete(LANGUAGE_DETECTION);

interface Translated {
  readonly settings: ElevenLabsLiveSettings;
  readonly rate: HearLaneRate;
  readonly query: URLSearchParams;
}

function translate(said: URLSearchParams): Translated {
  const language = readLanguage(said.get('language_code') ?? undefined);
  const isManual = strategyOf(said.get('commit_strategy')) === 'manual';
  const format = said.get('audio_format') ?? 'pcm_16000';
  const rate = rateOf(format);
  const ms = isManual ? MAX_ENDPOINTING_MS : silenceMs(said.get('vad_silence_threshold_secs'));
  return {
    rate,
    query: new URLSearchParams({ language: language ?? 'auto', endpointing_ms: String(ms) }),
    settings: {
      sound: new LiveSound(format === 'ulaw_8000' ? 'mulaw' : 'linear16', 1),
      isManual,
      hasSecondCopy: isTrue(said.get('include_timestamps')) || isTrue(said.get(LANGUAGE_DETECTION)),
      config: {
        sample_rate: rate,
        audio_format: format,
        language_code: language,
        model_id: 'svc-hear',
        commit_strategy: isManual ? 'manual' : 'vad',
        ...(isManual ? {} : { vad_silence_threshold_secs: ms / 1000 }),
        ignored: [...new Set(said.keys())].filter((name) => !SERVED.has(name)),
      },
    },
  };
}

const isTrue = (said: string | null): boolean => said?.toLowerCase() === 'true';

function strategyOf(said: string | null): 'manual' | 'vad' {
  if (said === null || said === 'manual') return 'manual';
  if (said === 'vad') return 'vad';
  throw invalid('commit_strategy', 'commit_strategy must be manual or vad.');
}

function rateOf(format: string): HearLaneRate {
  if (format === 'ulaw_8000') return 8000;
  const known = HEAR_LANE_RATES.find((rate) => format === `pcm_${rate}`);
  if (known) return known;
  throw invalid('audio_format', `audio_format must be one of ${FORMATS.join(', ')}, ulaw_8000.`);
}

function silenceMs(said: string | null): number {
  const seconds = said === null ? DEFAULT_SILENCE_SECS : Number(said);
  if (said?.trim() === '' || !Number.isFinite(seconds))
    throw invalid('vad_silence_threshold_secs', 'vad_silence_threshold_secs must be a number of seconds.');
  return Math.round(Math.min(MAX_ENDPOINTING_MS, Math.max(MIN_ENDPOINTING_MS, seconds * 1000)));
}

const invalid = (param: string, message: string): ApiError =>
  new ApiError('invalid_request', message, { param });
