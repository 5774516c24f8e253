import Type from 'typebox';
import { decodingPriorityOf } from '../../../../media/codec/index.ts';
import type { AcceptedSocket, SocketRequest, SocketRoute } from '../../../server/surface.ts';
import type { DeepgramDeps } from './index.ts';
import { INPUT_ENCODINGS } from './live-input.ts';
import { encodingOf, rateOf } from './live-route.ts';
import { Warning } from './query.ts';
import { DeepgramTurnSession } from './turn-session.ts';

const TurnQuery = Type.Object({
  model: Type.Optional(
    Type.String({ description: '`flux-general-en` transcribes English; other names detect the language.' }),
  ),
  encoding: Type.Optional(Type.Enum([...INPUT_ENCODINGS], { default: 'linear16' })),
  sample_rate: Type.Optional(
    Type.String({ description: 'The sample rate of raw audio, as in /deepgram/v1/listen.' }),
  ),
  eager_eot_threshold: Type.Optional(
    Type.String({ description: 'If set, `EagerEndOfTurn` events are sent. The value has no effect.' }),
  ),
  eot_threshold: Type.Optional(
    Type.String({ description: 'Accepted for compatibility; has no effect, as `Connected.warnings` says.' }),
  ),
  eot_timeout_ms: Type.Optional(
    Type.String({ description: 'Accepted for compatibility; has no effect, as `Connected.warnings` says.' }),
  ),
  keyterm: Type.Optional(
    Type.String({ description: 'Accepted for compatibility; has no effect, as `Connected.warnings` says.' }),
  ),
});
const SERVED = new Set(['model', 'encoding', 'sample_rate', 'eager_eot_threshold', 'token', 'api_key']);

const typed = (type: string, more = {}) => Type.Object({ type: Type.Literal(type), ...more });
const numbered = { request_id: Type.String(), sequence_id: Type.Integer() };

export const turnRoute = (deps: DeepgramDeps): SocketRoute => ({
  ...deps.stream,
  path: '/deepgram/v2/listen',
  access: { kind: 'key', scope: 'hear:stream', grant: true },
  vendor: 'deepgram',
  messages: {
    title: 'Deepgram-compatible turn detection',
    summary:
      'Streaming recognition in turns, in the messages of Deepgram’s Flux API. Each utterance is a turn, which the end-of-turn model ends.',
    description:
      'Binary frames carry raw audio in `encoding`, or a stream of WebM, Ogg or FLAC. TurnResumed is never sent: a turn that has ended is final, and further words start a new turn.',
    query: TurnQuery,
    client: [
      { name: 'audio', summary: 'Audio: raw with one channel, or in a container' },
      {
        name: 'CloseStream',
        summary: 'End the stream; the server sends the last turn, then closes with 1000',
        schema: typed('CloseStream'),
      },
      { name: 'ForceEndTurn', summary: 'End the current turn immediately', schema: typed('ForceEndTurn') },
      {
        name: 'KeepAlive',
        summary: 'Keep the stream open while no audio is sent',
        schema: typed('KeepAlive'),
      },
      {
        name: 'Configure',
        summary: 'Not supported; the server answers with ConfigureFailure',
        schema: typed('Configure'),
      },
    ],
    server: [
      {
        name: 'Connected',
        summary: 'Sent first, when the connection opens',
        schema: typed('Connected', { ...numbered, warnings: Type.Optional(Type.Array(Warning)) }),
      },
      {
        name: 'TurnInfo',
        summary: 'Sent when a turn starts, is updated and ends',
        schema: typed('TurnInfo', {
          ...numbered,
          event: Type.Enum(['StartOfTurn', 'Update', 'EagerEndOfTurn', 'EndOfTurn']),
          turn_index: Type.Integer(),
          audio_window_start: Type.Number(),
          audio_window_end: Type.Number(),
          transcript: Type.String(),
          words: Type.Array(Type.Object({}, { additionalProperties: true })),
          end_of_turn_confidence: Type.Number({
            description: 'Not measured: 1 at the end of a turn, otherwise 0.',
          }),
          trigger: Type.Optional(Type.Enum(['model', 'manual', 'timeout'])),
        }),
      },
      {
        name: 'ConfigureFailure',
        summary: 'Sent in response to Configure; nothing was changed',
        schema: typed('ConfigureFailure', numbered),
      },
      {
        name: 'Error',
        summary: 'Sent when an error occurs',
        schema: typed('Error', { ...numbered, code: Type.String(), description: Type.String() }),
      },
    ],
  },
  accept: (request) => accept(deps, request),
});

async function accept(deps: DeepgramDeps, request: SocketRequest): Promise<AcceptedSocket> {
  const { query: said } = request;
  const encoding = encodingOf(said.get('encoding'));
  const rate = rateOf(said.get('sample_rate'), encoding);
  const isEnglish = (said.get('model') ?? '').endsWith('-en');
  const query = new URLSearchParams({ language: isEnglish ? 'en' : 'auto' });
  const accepted = await deps.stream.accept({ ...request, query }, { partials: true, stable: false, rate });
  const settings = {
    input: { encoding, channels: 1, rate, priority: decodingPriorityOf(request.principal!, 'live') },
    eager: said.has('eager_eot_threshold'),
    ignored: [...new Set(said.keys())].filter((name) => !SERVED.has(name)),
  };
  return {
    open: (socket) => new DeepgramTurnSession(deps.decoder, accepted, socket, settings),
    abandon: () => accepted.abandon?.(),
  };
}
