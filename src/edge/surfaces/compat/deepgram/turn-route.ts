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
    Type.String({ description: '`flux-general-en` is English; with any other the language is found' }),
  ),
  encoding: Type.Optional(Type.Enum([...INPUT_ENCODINGS], { default: 'linear16' })),
  sample_rate: Type.Optional(Type.String({ description: 'As of version 1' })),
  eager_eot_threshold: Type.Optional(
    Type.String({ description: 'Said: `EagerEndOfTurn` comes. Its value changes nothing' }),
  ),
  eot_threshold: Type.Optional(Type.String({ description: 'Changes nothing: `Connected.warnings`' })),
  eot_timeout_ms: Type.Optional(Type.String({ description: 'Changes nothing: `Connected.warnings`' })),
  keyterm: Type.Optional(Type.String({ description: 'Changes nothing: `Connected.warnings`' })),
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
    title: 'Deepgram’s turn-based clients',
    summary:
      'Streaming recognition as turns (Flux): an utterance is a turn, which the end-of-turn model ends.',
    description:
      'Binary frames are raw sound in `encoding`, or WebM, Ogg or FLAC as it is recorded. TurnResumed never comes: a turn that has ended stays ended, and the next words begin another.',
    query: TurnQuery,
    client: [
      { name: 'audio', summary: 'Sound: raw of one channel, or of a container' },
      { name: 'CloseStream', summary: 'The last turn, then close 1000', schema: typed('CloseStream') },
      { name: 'ForceEndTurn', summary: 'Ends the open turn now', schema: typed('ForceEndTurn') },
      { name: 'KeepAlive', summary: 'Keeps a stream without audio open', schema: typed('KeepAlive') },
      { name: 'Configure', summary: 'Answered by ConfigureFailure', schema: typed('Configure') },
    ],
    server: [
      {
        name: 'Connected',
        summary: 'First',
        schema: typed('Connected', { ...numbered, warnings: Type.Optional(Type.Array(Warning)) }),
      },
      {
        name: 'TurnInfo',
        summary: 'A turn as it begins, goes on and ends',
        schema: typed('TurnInfo', {
          ...numbered,
          event: Type.Enum(['StartOfTurn', 'Update', 'EagerEndOfTurn', 'EndOfTurn']),
          turn_index: Type.Integer(),
          audio_window_start: Type.Number(),
          audio_window_end: Type.Number(),
          transcript: Type.String(),
          words: Type.Array(Type.Object({}, { additionalProperties: true })),
          end_of_turn_confidence: Type.Number({
            description: 'Not measured: 1 at the end of a turn, else 0',
          }),
          trigger: Type.Optional(Type.Enum(['model', 'manual', 'timeout'])),
        }),
      },
      {
        name: 'ConfigureFailure',
        summary: 'Nothing was changed',
        schema: typed('ConfigureFailure', numbered),
      },
      {
        name: 'Error',
        summary: 'What went wrong',
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
