import Type from 'typebox';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import type { AcceptedSocket, SocketMessage, SocketRequest, SocketRoute } from '../../../server/surface.ts';
import { RealtimeConversation } from './conversation.ts';
import type { OpenAiDeps } from './index.ts';
import { AGENT_ID, type Dialect, settledBy } from './settings.ts';
import { RealtimeTranscription } from './transcription.ts';

const MOST_MODEL = 128;

export const ModelName = Type.String({
  description: 'Any name; the id of an agent loads that agent’s profile',
  maxLength: MOST_MODEL,
});

const RealtimeQuery = Type.Object({
  model: Type.Optional(ModelName),
  intent: Type.Optional(Type.Enum(['conversation', 'transcription'], { default: 'conversation' })),
});

const event = (name: string, summary: string): SocketMessage => ({
  name,
  summary,
  schema: Type.Object({ type: Type.Literal(name) }, { additionalProperties: true }),
});

const CLIENT = [
  event('session.update', 'Instructions, voice, tools, format, turn detection'),
  event('input_audio_buffer.append', 'Audio in base64'),
  event('input_audio_buffer.commit', 'The turn ends here, where no turn detection ends it'),
  event('input_audio_buffer.clear', 'What was appended since the last commit is forgotten'),
  event('output_audio_buffer.clear', 'The agent stops'),
  event('conversation.item.create', 'A message, or the output of a function'),
  event('conversation.item.retrieve', 'Asks for an item'),
  event('conversation.item.truncate', 'Acknowledged: the record holds what was played'),
  event('conversation.item.delete', 'An item that the agent has not been told yet'),
  event('response.create', 'The agent answers now'),
  event('response.cancel', 'The agent stops'),
];
const SERVER = [
  event('session.created', 'First of all'),
  event('session.updated', 'After session.update'),
  event('input_audio_buffer.speech_started', 'The caller speaks'),
  event('input_audio_buffer.speech_stopped', 'The caller has stopped'),
  event('input_audio_buffer.committed', 'The caller’s turn is an item'),
  event('input_audio_buffer.cleared', 'After input_audio_buffer.clear'),
  event('conversation.item.added', 'An item stands in the conversation'),
  event('conversation.item.done', 'It is complete'),
  event('conversation.item.retrieved', 'After conversation.item.retrieve'),
  event('conversation.item.truncated', 'After conversation.item.truncate'),
  event('conversation.item.deleted', 'After conversation.item.delete'),
  event('conversation.item.input_audio_transcription.delta', 'What the caller said'),
  event('conversation.item.input_audio_transcription.completed', 'All of it'),
  event('conversation.item.input_audio_transcription.failed', 'It could not be recognized'),
  event('response.created', 'The agent answers'),
  event('rate_limits.updated', 'Always without limits: the plan’s are told at the upgrade'),
  event('response.output_item.added', 'A message or a function call of the answer'),
  event('response.content_part.added', 'Its part'),
  event('response.output_audio.delta', 'Audio in base64, as it is played'),
  event('response.output_audio.done', 'All audio was sent'),
  event('response.output_audio_transcript.delta', 'The words of the audio'),
  event('response.output_audio_transcript.done', 'All of them'),
  event('response.output_text.delta', 'The words of an answer without audio'),
  event('response.output_text.done', 'All of them'),
  event('response.content_part.done', 'The part is complete'),
  event('response.function_call_arguments.delta', 'Arguments of a function'),
  event('response.function_call_arguments.done', 'All of them'),
  event('response.output_item.done', 'The item is complete'),
  event('response.done', 'The answer is over'),
  event('error', 'What went wrong; the session goes on unless it is closed'),
];

const MAX_FRAME_BYTES = 8 * 1024 * 1024;
const MAX_BUFFERED_BYTES = 1024 * 1024;
const MAX_READ_LAG_SECONDS = 10;

export const realtimeRoute = (deps: OpenAiDeps): SocketRoute => ({
  path: '/v1/realtime',
  access: { kind: 'key', scope: 'omni:session', browser: true },
  vendor: 'openai',
  maxFrameBytes: MAX_FRAME_BYTES,
  maxBufferedBytes: MAX_BUFFERED_BYTES,
  maxReadLagSeconds: MAX_READ_LAG_SECONDS,
  messages: {
    title: 'OpenAI’s Realtime clients',
    summary: 'A conversation with an agent, or a transcription, in the events of OpenAI’s Realtime.',
    description:
      'Text frames, each a JSON object with a type. With the header `OpenAI-Beta: realtime=v1` events have the names of that form. ' +
      'Turns, interruptions and voices are those of Omni; what differs is told in the guide.',
    query: RealtimeQuery,
    client: CLIENT,
    server: SERVER,
  },
  accept: (request) => accept(deps, request),
});

const BETA_PROTOCOL = 'openai-beta.realtime-v1';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export function dialectOf({ headers }: { readonly headers: Headers }): Dialect {
  const isBeta =
    headers['openai-beta']?.includes('realtime=v1') === true ||
    headers['sec-websocket-protocol']?.includes(BETA_PROTOCOL) === true;
  return isBeta ? 'beta' : 'ga';
}

async function accept(deps: OpenAiDeps, request: SocketRequest): Promise<AcceptedSocket> {
  const { principal, query } = request;
  if (principal === null) throw new ApiError('missing_api_key', 'no credential was sent');
  const preset = principal.browser?.session ?? null;
  const model = query.get('model') ?? modelOf(preset) ?? 'svc-omni';
  const label = labelOf(model);
  const dialect = dialectOf(request);
  if (query.get('intent') === 'transcription' || kindOf(preset) === 'transcription')
    return transcription(deps, request, dialect, preset);
  const admitted = await deps.gateway.admit(principal, label);
  const { clock, recognize } = deps;
  return {
    open: (socket) =>
      new RealtimeConversation({ clock, recognize }, admitted, socket, {
        principal,
        model,
        dialect,
        settings: settledBy([preset]),
      }),
    abandon: () => admitted.abandon(),
  };
}

function transcription(
  deps: OpenAiDeps,
  request: SocketRequest,
  dialect: Dialect,
  preset: unknown,
): AcceptedSocket {
  const open = (query: URLSearchParams) =>
    deps.stream.accept({ ...request, query }, { partials: true, stable: false });
  return {
    open: (socket) => new RealtimeTranscription({ clock: deps.clock, open }, socket, dialect, preset),
  };
}

/** Throws ApiError. */
export function labelOf(model: string): string | null {
  if (model.length > MOST_MODEL)
    throw new ApiError('invalid_request', `model has at most ${MOST_MODEL} characters`, { param: 'model' });
  return AGENT_ID.test(model) ? model : null;
}

export function modelOf(preset: object | null): string | null {
  const { model } = (preset ?? {}) as { model?: unknown };
  return typeof model === 'string' ? model : null;
}

export const kindOf = (preset: unknown): unknown =>
  typeof preset === 'object' && preset !== null ? (preset as { type?: unknown }).type : null;
