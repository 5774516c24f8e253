import Type from 'typebox';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import { type DecodingPriority, decodingPriorityOf } from '../../../../media/codec/index.ts';
import { HEAR_LANE_RATES, type HearLaneRate } from '../../../../media/engine/index.ts';
import type { AcceptedSocket, SocketRequest, SocketRoute } from '../../../server/surface.ts';
import type { DeepgramDeps } from './index.ts';
import { INPUT_ENCODINGS, type InputEncoding } from './live-input.ts';
import { DeepgramLiveSession, type DeepgramLiveSettings } from './live-session.ts';
import { ignoredOfLive, isOn, LiveQuery, languageOf, Warning } from './query.ts';
import { redactionsOf } from './redaction.ts';

const ResultsMessage = Type.Object({
  type: Type.Literal('Results'),
  channel_index: Type.Array(Type.Integer()),
  duration: Type.Number(),
  start: Type.Number(),
  is_final: Type.Boolean(),
  speech_final: Type.Boolean(),
  from_finalize: Type.Boolean(),
  channel: Type.Object({
    alternatives: Type.Array(
      Type.Object({
        transcript: Type.String(),
        confidence: Type.Number({ description: 'Always 0: this value is not measured.' }),
        words: Type.Array(Type.Object({}, { additionalProperties: true })),
      }),
    ),
  }),
  metadata: Type.Object({}, { additionalProperties: true }),
});
const messageSchema = (type: string) => Type.Object({ type: Type.Literal(type) });

export const liveRoute = (deps: DeepgramDeps): SocketRoute => ({
  ...deps.stream,
  path: '/deepgram/v1/listen',
  access: { kind: 'key', scope: 'hear:stream', grant: true },
  vendor: 'deepgram',
  messages: {
    title: 'Deepgram-compatible streaming transcription',
    summary:
      'Streaming recognition in the messages of Deepgram’s API. Binary frames carry audio, and text frames carry JSON.',
    query: LiveQuery,
    client: [
      {
        name: 'audio',
        summary:
          'Raw audio (in `encoding` with `channels` at `sample_rate`), Opus packets, or a stream of WebM, Ogg, FLAC or WAV',
      },
      {
        name: 'KeepAlive',
        summary: 'Keep the stream open while no audio is sent',
        schema: messageSchema('KeepAlive'),
      },
      {
        name: 'Finalize',
        summary: 'End the current utterance immediately',
        schema: messageSchema('Finalize'),
      },
      {
        name: 'CloseStream',
        summary: 'End the stream; the server sends the last results and Metadata, then closes with 1000',
        schema: messageSchema('CloseStream'),
      },
    ],
    server: [
      {
        name: 'Results',
        summary: 'An interim transcript, or the final one if is_final is true',
        schema: ResultsMessage,
      },
      {
        name: 'UtteranceEnd',
        summary: 'Sent after utterance_end_ms without words',
        schema: Type.Object({
          type: Type.Literal('UtteranceEnd'),
          channel: Type.Array(Type.Integer()),
          last_word_end: Type.Number(),
        }),
      },
      {
        name: 'SpeechStarted',
        summary: 'With vad_events: sent when speech starts',
        schema: Type.Object({
          type: Type.Literal('SpeechStarted'),
          channel: Type.Array(Type.Integer()),
          timestamp: Type.Number(),
        }),
      },
      {
        name: 'Metadata',
        summary: 'Sent before the stream closes',
        schema: Type.Object({
          type: Type.Literal('Metadata'),
          transaction_key: Type.String(),
          request_id: Type.String(),
          sha256: Type.String(),
          created: Type.String(),
          duration: Type.Number(),
          channels: Type.Integer(),
          warnings: Type.Optional(Type.Array(Warning)),
        }),
      },
      {
        name: 'Error',
        summary: 'Sent when an error occurs',
        schema: Type.Object({
          type: Type.Literal('Error'),
          err_code: Type.String(),
          err_msg: Type.String(),
          request_id: Type.String(),
        }),
      },
    ],
  },
  accept: (request) => accept(deps, request),
});

async function accept(deps: DeepgramDeps, request: SocketRequest): Promise<AcceptedSocket> {
  const priority = decodingPriorityOf(request.principal!, 'live');
  const { query, rate, settings } = translate(request.query, priority);
  const reading = { partials: partialsOptionOf(settings), stable: false, rate };
  const accepted = await deps.stream.accept({ ...request, query }, reading);
  return {
    open: (socket) => new DeepgramLiveSession(deps, accepted, socket, settings),
    abandon: () => accepted.abandon?.(),
  };
}

/** Partial results also report the start of speech, and that speech continues after an utterance. */
const partialsOptionOf = ({ interim, vadEvents, utteranceEndMs }: DeepgramLiveSettings): boolean =>
  interim || vadEvents || utteranceEndMs !== null;

interface Translated {
  readonly query: URLSearchParams;
  readonly rate: HearLaneRate;
  readonly settings: DeepgramLiveSettings;
}

function translate(said: URLSearchParams, priority: DecodingPriority): Translated {
  const encoding = encodingOf(said.get('encoding'));
  const query = new URLSearchParams({ language: languageOf(said.get('language')) ?? 'auto' });
  const ms = endpointingMs(said.get('endpointing'));
  if (ms !== null) query.set('endpointing_ms', String(ms));
  const redact = redactionsOf(said.getAll('redact'));
  const rate = rateOf(said.get('sample_rate'), encoding);
  const channels = channelsOf(said.get('channels'));
  return {
    query,
    rate,
    settings: {
      // Redaction needs the whole utterance, so no interim result is sent with it.
      interim: isOn(said.get('interim_results')) && redact.length === 0,
      vadEvents: isOn(said.get('vad_events')),
      utteranceEndMs: utteranceEndOf(said.get('utterance_end_ms')),
      input: { encoding, channels, rate, priority },
      redact,
      ignored: ignoredOfLive(Object.fromEntries(said)),
    },
  };
}

/** Returns null when the client names none: the audio then declares its own format. */
export function encodingOf(said: string | null): InputEncoding | null {
  if (said === null) return null;
  const known = INPUT_ENCODINGS.find((one) => one === said);
  if (known) return known;
  throw invalidParameter('encoding', `encoding must be one of ${INPUT_ENCODINGS.join(', ')}.`);
}

const TELEPHONE_RATE = 8000;
const DEFAULT_RATE = 16_000;

export function rateOf(said: string | null, encoding: InputEncoding | null): HearLaneRate {
  if (said === null) return encoding === 'mulaw' || encoding === 'alaw' ? TELEPHONE_RATE : DEFAULT_RATE;
  const known = HEAR_LANE_RATES.find((one) => String(one) === said);
  if (known) return known;
  const rates = [...HEAR_LANE_RATES].sort((a, b) => a - b).join(', ');
  throw invalidParameter('sample_rate', `sample_rate must be one of ${rates}.`);
}

function channelsOf(said: string | null): number {
  if (said === null || /^[1-8]$/.test(said)) return Number(said ?? 1);
  throw invalidParameter('channels', 'channels must be an integer from 1 to 8.');
}

const MIN_ENDPOINTING_MS = 100;
const MAX_ENDPOINTING_MS = 3000;

/**
 * Deepgram accepts any number and defaults to 10, so values are clamped to the endpointer's range. `false` selects
 * the longest silence.
 */
function endpointingMs(said: string | null): number | null {
  if (said === null || said === 'true') return null;
  if (said === 'false') return MAX_ENDPOINTING_MS;
  if (!/^\d{1,6}$/.test(said))
    throw invalidParameter('endpointing', 'endpointing must be a number of milliseconds, or false.');
  return Math.min(MAX_ENDPOINTING_MS, Math.max(MIN_ENDPOINTING_MS, Number(said)));
}

function utteranceEndOf(said: string | null): number | null {
  if (said === null) return null;
  const ms = /^\d{1,5}$/.test(said) ? Number(said) : Number.NaN;
  if (ms >= 1000 && ms <= 5000) return ms;
  throw invalidParameter('utterance_end_ms', 'utterance_end_ms must be an integer from 1000 to 5000.');
}

const invalidParameter = (param: string, message: string): ApiError =>
  new ApiError('invalid_request', message, { param });
