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
  logprob: Type.Number({ description: 'Not measured: 0' }),
});

const query = Type.Object({
  model_id: Type.Optional(
    Type.String({ description: 'Any name of ElevenLabs’; one model answers them all' }),
  ),
  audio_format: Type.Optional(
    Type.Enum([...FORMATS, 'ulaw_8000'], { default: 'pcm_16000', description: 'Raw sound of one channel' }),
  ),
  language_code: Type.Optional(
    Type.String({ description: '`en` or `eng`; without it the language is found' }),
  ),
  commit_strategy: Type.Optional(
    Type.Enum(['manual', 'vad'], {
      default: 'manual',
      description: '`vad`: silence commits. `manual`: the client',
    }),
  ),
  vad_silence_threshold_secs: Type.Optional(
    Type.String({ description: 'With `vad`; brought to 0.1 to 3', default: '1.5' }),
  ),
  include_timestamps: Type.Optional(
    Type.String({ description: '`true`: each commit is told a second time, with its words' }),
  ),
  include_language_detection: Type.Optional(
    Type.String({ description: '`true`: the second copy comes, as ElevenLabs’ does, without a language' }),
  ),
});

export const liveTranscriptionRoute = (deps: ElevenLabsLiveDeps): SocketRoute => ({
  ...deps.stream,
  path: '/elevenlabs/v1/speech-to-text/realtime',
  vendor: 'elevenlabs',
  maxFrameBytes: MAX_FRAME_BYTES,
  messages: {
    title: 'ElevenLabs’ live transcription',
    summary: 'Streaming recognition in ElevenLabs’ messages: JSON text frames, sound in base64.',
    description:
      'Other options of the query change nothing: `session_started.config.ignored` lists them. The language is not told.',
    query,
    client: [
      {
        name: 'input_audio_chunk',
        summary: 'Sound; with `commit` what was said until here is one text',
        schema: typed('input_audio_chunk', {
          audio_base_64: Type.String(),
          commit: Type.Optional(Type.Boolean({ default: false })),
          sample_rate: Type.Optional(Type.Integer({ description: 'As in the query' })),
        }),
      },
    ],
    server: [
      {
        name: 'session_started',
        summary: 'First',
        schema: typed('session_started', {
          session_id: Type.String(),
          config: Type.Object({}, { additionalProperties: true }),
        }),
      },
      {
        name: 'partial_transcript',
        summary: 'Words since the last commit',
        schema: typed('partial_transcript', { text: Type.String() }),
      },
      {
        name: 'committed_transcript',
        summary: 'The text of a commit',
        schema: typed('committed_transcript', { text: Type.String() }),
      },
      {
        name: 'committed_transcript_with_timestamps',
        summary: 'The same with its words, where `include_timestamps` or `include_language_detection` asks',
        schema: typed('committed_transcript_with_timestamps', {
          text: Type.String(),
          words: Type.Array(Word),
        }),
      },
      {
        name: 'error',
        summary: 'What went wrong; its message_type says of which kind',
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
  throw invalid('commit_strategy', 'commit_strategy is manual or vad.');
}

function rateOf(format: string): HearLaneRate {
  if (format === 'ulaw_8000') return 8000;
  const known = HEAR_LANE_RATES.find((rate) => format === `pcm_${rate}`);
  if (known) return known;
  throw invalid('audio_format', `audio_format is one of ${FORMATS.join(', ')}, ulaw_8000.`);
}

function silenceMs(said: string | null): number {
  const seconds = said === null ? DEFAULT_SILENCE_SECS : Number(said);
  if (said?.trim() === '' || !Number.isFinite(seconds))
    throw invalid('vad_silence_threshold_secs', 'vad_silence_threshold_secs is a number of seconds.');
  return Math.round(Math.min(MAX_ENDPOINTING_MS, Math.max(MIN_ENDPOINTING_MS, seconds * 1000)));
}

const invalid = (param: string, message: string): ApiError =>
  new ApiError('invalid_request', message, { param });
