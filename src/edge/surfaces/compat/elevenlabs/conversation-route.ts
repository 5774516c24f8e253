import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Profile, ProfileSource } from '../../../../conversation/agents/index.ts';
import type { Principal } from '../../../../foundation/access/contract.ts';
import { tenantScopeOf } from '../../../../foundation/access/index.ts';
import type { Clock } from '../../../../foundation/platform/clock.ts';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import { printableValue } from '../../../../foundation/platform/printable.ts';
import type { AcceptedSocket, SocketMessage, SocketRequest, SocketRoute } from '../../../server/surface.ts';
import type { MintToken } from '../openai/client-secret-route.ts';
import type { CallGateway } from '../openai/contract.ts';
import { ElevenLabsConversation } from './conversation-session.ts';

export interface ElevenLabsConversationDeps {
  readonly gateway: CallGateway;
  readonly profiles: ProfileSource;
  readonly mintToken: MintToken;
  readonly clock: Clock;
}

const PATH = '/elevenlabs/v1/convai/conversation';
const MAX_FRAME_BYTES = 512 * 1024;
const MAX_BUFFERED_BYTES = 1024 * 1024;
const MAX_READ_LAG_SECONDS = 10;
/** A browser token is valid for the same time; ElevenLabs' own signed URLs are valid for 15 minutes. */
const SIGNED_SECONDS = 600;

const open = { additionalProperties: true } as const;
const message = (name: string, summary: string, more = {}): SocketMessage => ({
  name,
  summary,
  schema: Type.Object({ type: Type.Literal(name), ...more }, open),
});
const event = (name: string, member: string, summary: string, more = {}): SocketMessage =>
  message(name, summary, { [member]: Type.Object({ event_id: Type.Integer(), ...more }, open) });

const CLIENT: readonly SocketMessage[] = [
  message('conversation_initiation_client_data', 'Set overrides and dynamic variables; sent first', {
    conversation_config_override: Type.Optional(Type.Object({}, open)),
    dynamic_variables: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'Text, numbers and booleans: at most 100, and the first 4,000 characters of each are read.',
      }),
    ),
  }),
  {
    name: 'user_audio_chunk',
    summary: 'Caller audio',
    schema: Type.Object(
      { user_audio_chunk: Type.String({ description: 'PCM16 at 16 kHz, Base64-encoded.' }) },
      open,
    ),
  },
  message('user_message', 'Add a typed user turn', { text: Type.Optional(Type.String()) }),
  message('contextual_update', 'Give the agent information that is not spoken', { text: Type.String() }),
  message('client_tool_result', 'Return the result of a client tool', {
    tool_call_id: Type.String(),
    result: Type.Optional(Type.Unknown()),
    is_error: Type.Optional(Type.Boolean()),
  }),
  message('user_activity', 'Accepted; has no effect'),
  message('feedback', 'Accepted; has no effect'),
  message('pong', 'Accepted; has no effect'),
];
const SERVER: readonly SocketMessage[] = [
  message('conversation_initiation_metadata', 'Sent first, when the connection opens', {
    conversation_initiation_metadata_event: Type.Object({
      conversation_id: Type.String(),
      agent_output_audio_format: Type.Literal('pcm_16000'),
      user_input_audio_format: Type.Literal('pcm_16000'),
    }),
  }),
  event('audio', 'audio_event', 'Agent audio', { audio_base_64: Type.String() }),
  event(
    'tentative_user_transcript',
    'tentative_user_transcription_event',
    'An interim transcript of the caller',
    {
      user_transcript: Type.String(),
    },
  ),
  event('user_transcript', 'user_transcription_event', 'The final transcript of the caller’s turn', {
    user_transcript: Type.String(),
  }),
  event('agent_chat_response_part', 'text_response_part', 'The agent’s text, as it is played', {
    text: Type.String(),
    type: Type.Enum(['start', 'delta', 'stop']),
  }),
  event(
    'agent_response',
    'agent_response_event',
    'The text that was played of an agent’s turn, sent when the turn ends',
    {
      agent_response: Type.String(),
    },
  ),
  event(
    'interruption',
    'interruption_event',
    'Sent when the caller interrupts; discard all audio up to this event',
  ),
  message('client_tool_call', 'Requests a call of a client tool', {
    client_tool_call: Type.Object({
      tool_name: Type.String(),
      tool_call_id: Type.String(),
      parameters: Type.Object({}, open),
      event_id: Type.Integer(),
    }),
  }),
  message('error', 'Sent when an error occurs', {
    error_event: Type.Object({ error_type: Type.String(), message: Type.String() }, open),
  }),
];

export const conversationSocket = (deps: ElevenLabsConversationDeps): SocketRoute => ({
  path: PATH,
  access: { kind: 'key', scope: 'omni:session', browser: true },
  vendor: 'elevenlabs',
  maxFrameBytes: MAX_FRAME_BYTES,
  maxBufferedBytes: MAX_BUFFERED_BYTES,
  maxReadLagSeconds: MAX_READ_LAG_SECONDS,
  messages: {
    title: 'ElevenLabs’ conversations',
    summary: 'Voice agent conversation in the messages of ElevenLabs’ agents.',
    description:
      'All frames are JSON text frames. `agent_id` is the ID of an agent of this server. An API key is always required, or a URL from `get-signed-url`.',
    query: Type.Object({ agent_id: Type.String() }),
    client: CLIENT,
    server: SERVER,
  },
  accept: (request) => accept(deps, request),
});

async function accept(deps: ElevenLabsConversationDeps, request: SocketRequest): Promise<AcceptedSocket> {
  const { principal, query } = request;
  if (principal === null) throw new ApiError('missing_api_key', 'no credential was sent');
  // A token for one agent opens no other agent.
  const agentId = principal.browser?.agentId ?? query.get('agent_id') ?? '';
  const profile = await profileOf(deps, principal, agentId);
  const admitted = await deps.gateway.admit(principal, agentId);
  return {
    open: (socket) => new ElevenLabsConversation(deps.clock, admitted, socket, profile.fields),
    abandon: () => admitted.abandon(),
  };
}

async function profileOf(
  { profiles }: ElevenLabsConversationDeps,
  principal: Principal,
  agentId: string,
): Promise<Profile> {
  const profile = await profiles.profileFor(tenantScopeOf(principal), agentId, agentId);
  if (profile === null)
    throw new ApiError('not_found', `There is no agent ${printableValue(agentId)}.`, { param: 'agent_id' });
  return profile;
}

const SignedUrlQuery = Type.Object({
  agent_id: Type.String({ maxLength: 128, description: 'The ID of an agent of this server.' }),
  include_conversation_id: Type.Optional(
    Type.Unsafe<unknown>({ description: 'Accepted for compatibility; has no effect.' }),
  ),
  branch_id: Type.Optional(
    Type.Unsafe<unknown>({ description: 'Accepted for compatibility; has no effect.' }),
  ),
});
const SignedUrl = Type.Object({
  signed_url: Type.String({ description: 'A URL that opens one conversation and is valid for ten minutes.' }),
});

export function signedUrlRoute(app: FastifyInstance, deps: ElevenLabsConversationDeps): void {
  app.get<{ Querystring: Static<typeof SignedUrlQuery> }>(`${PATH}/get-signed-url`, {
    config: { access: { kind: 'key', scope: 'omni:session' }, errors: ['not_found'], vendor: 'elevenlabs' },
    schema: {
      summary: 'Create a signed URL that opens one conversation with an agent',
      tags: ['ElevenLabs clients'],
      operationId: 'elevenlabs_get_signed_url',
      querystring: SignedUrlQuery,
      response: { 200: SignedUrl },
    },
    handler: async (request, reply) => {
      const { agent_id: agentId } = request.query;
      const caller = request.caller();
      await profileOf(deps, caller, agentId);
      const wanted = { origin: null, agentId, ttlSeconds: SIGNED_SECONDS, session: {} };
      const { token } = await deps.mintToken(caller, wanted);
      reply.header('cache-control', 'no-store');
      const query = new URLSearchParams({ agent_id: agentId, api_key: token });
      return { signed_url: `${socketBase(request)}${PATH}?${query}` };
    },
  });
}

const socketBase = ({ protocol, host }: FastifyRequest): string =>
  `${protocol === 'https' ? 'wss' : 'ws'}://${host}`;
