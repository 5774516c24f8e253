import Type from 'typebox';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import type { AcceptedSocket, SocketMessage, SocketRequest, SocketRoute } from '../../../server/surface.ts';
import { RealtimeConversation } from './conversation.ts';
import type { OpenAiDeps } from './index.ts';
import { AGENT_ID, type Dialect, settledBy } from './settings.ts';
import { RealtimeTranscription } from './transcription.ts';

const MOST_MODEL = 128;

export const ModelName = Type.String({
  description: 'Any model name is accepted. The ID of an agent loads the profile of that agent.',
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
  event('session.update', 'Update the instructions, voice, tools, audio format and turn detection'),
  event('input_audio_buffer.append', 'Append Base64-encoded audio'),
  event('input_audio_buffer.commit', 'End the user’s turn, if turn detection is disabled'),
  event('input_audio_buffer.clear', 'Discard the audio appended since the last commit'),
  event('output_audio_buffer.clear', 'Stop the agent’s audio'),
  event('conversation.item.create', 'Add a message or the output of a function call'),
  event('conversation.item.retrieve', 'Retrieve an item'),
  event('conversation.item.truncate', 'Acknowledged only; the transcript always contains what was played'),
  event('conversation.item.delete', 'Delete an item that the agent has not used yet'),
  event('response.create', 'Make the agent respond now'),
  event('response.cancel', 'Cancel the current response'),
];
const SERVER = [
  event('session.created', 'Sent first, when the session is created'),
  event('session.updated', 'Sent after session.update'),
  event('input_audio_buffer.speech_started', 'Sent when the caller starts to speak'),
  event('input_audio_buffer.speech_stopped', 'Sent when the caller stops speaking'),
  event('input_audio_buffer.committed', 'Sent when the caller’s turn was added as an item'),
  event('input_audio_buffer.cleared', 'Sent after input_audio_buffer.clear'),
  event('conversation.item.added', 'Sent when an item was added to the conversation'),
  event('conversation.item.done', 'Sent when the item is complete'),
  event('conversation.item.retrieved', 'Sent after conversation.item.retrieve'),
  event('conversation.item.truncated', 'Sent after conversation.item.truncate'),
  event('conversation.item.deleted', 'Sent after conversation.item.delete'),
  event('conversation.item.input_audio_transcription.delta', 'Partial transcript of the caller’s turn'),
  event(
    'conversation.item.input_audio_transcription.completed',
    'The complete transcript of the caller’s turn',
  ),
  event(
    'conversation.item.input_audio_transcription.failed',
    'Sent when the caller’s turn could not be transcribed',
  ),
  event('response.created', 'Sent when the agent starts a response'),
  event(
    'rate_limits.updated',
    'Always reports no limits; the limits of your plan apply when the connection opens',
  ),
  event('response.output_item.added', 'Sent when a message or function call was added to the response'),
  event('response.content_part.added', 'Sent when a content part was added to the item'),
  event('response.output_audio.delta', 'Base64-encoded audio, as it is played'),
  event('response.output_audio.done', 'Sent when all audio was sent'),
  event('response.output_audio_transcript.delta', 'Partial transcript of the audio'),
  event('response.output_audio_transcript.done', 'The complete transcript of the audio'),
  event('response.output_text.delta', 'Partial text of a response without audio'),
  event('response.output_text.done', 'The complete text'),
  event('response.content_part.done', 'Sent when the content part is complete'),
  event('response.function_call_arguments.delta', 'Partial arguments of a function call'),
  event('response.function_call_arguments.done', 'The complete arguments'),
  event('response.output_item.done', 'Sent when the output item is complete'),
  event('response.done', 'Sent when the response has ended'),
  event('error', 'Sent when an error occurs; the session continues unless it is closed'),
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
    summary: 'Conversation with an agent, or transcription, in the events of OpenAI’s Realtime API.',
    description:
      'Each text frame is a JSON object with a `type`. With the header `OpenAI-Beta: realtime=v1`, events use the names of the beta API. Turns, interruptions and voices work as in Omni; the guide lists the differences.',
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
    throw new ApiError('invalid_request', `model can have at most ${MOST_MODEL} characters`, {
      param: 'model',
    });
  return AGENT_ID.test(model) ? model : null;
}

export function modelOf(preset: object | null): string | null {
  const { model } = (preset ?? {}) as { model?: unknown };
  return typeof model === 'string' ? model : null;
}

export const kindOf = (preset: unknown): unknown =>
  typeof preset === 'object' && preset !== null ? (preset as { type?: unknown }).type : null;
