import Type from 'typebox';
import type { SocketMessage, SocketRoute } from '../../../server/surface.ts';
import { type AgentSessionDeps, DeepgramAgentSession } from './agent-session.ts';

const MAX_FRAME_BYTES = 512 * 1024;
const MAX_BUFFERED_BYTES = 1024 * 1024;
const MAX_READ_LAG_SECONDS = 10;

const open = { additionalProperties: true } as const;
const message = (name: string, summary: string, more = {}): SocketMessage => ({
  name,
  summary,
  schema: Type.Object({ type: Type.Literal(name), ...more }, open),
});
const described = { description: Type.String(), code: Type.String() };

const CLIENT: readonly SocketMessage[] = [
  { name: 'audio', summary: 'Caller audio in the format of `audio.input`' },
  message(
    'Settings',
    'Set the audio formats and the agent, which is described inline or referenced by its `agt_…` ID; sent first',
    {
      audio: Type.Optional(Type.Object({}, open)),
      agent: Type.Union([Type.String(), Type.Object({}, open)]),
    },
  ),
  message('UpdatePrompt', 'Replace the prompt', { prompt: Type.String() }),
  message('UpdateThink', 'Replace the prompt and the functions', { think: Type.Unknown() }),
  message('UpdateSpeak', 'Change the voice', { speak: Type.Unknown() }),
  message('UpdateListen', 'Change the language', { listen: Type.Unknown() }),
  message('InjectUserMessage', 'Add a typed user turn', { content: Type.String() }),
  message('InjectAgentMessage', 'Make the agent say this message', {
    message: Type.String(),
    behavior: Type.Optional(Type.Enum(['default', 'queue', 'interrupt'])),
  }),
  message('FunctionCallResponse', 'Return the result of a function call', {
    id: Type.Optional(Type.String()),
    name: Type.String(),
    content: Type.String(),
  }),
  message('KeepAlive', 'Accepted; has no effect'),
  message('ForceEndTurn', 'Not supported; the server answers with `Warning`'),
];
const SERVER: readonly SocketMessage[] = [
  {
    name: 'audio',
    summary: 'Agent audio in the format of `audio.output`',
    contentType: 'application/octet-stream',
  },
  message('Welcome', 'Sent first, when the connection opens', { request_id: Type.String() }),
  message('SettingsApplied', 'Sent when the settings are applied and the call is live'),
  message(
    'ConversationText',
    'A transcript entry. For the agent, it contains the text that was played and is sent when its turn ends',
    {
      role: Type.Enum(['user', 'assistant']),
      content: Type.String(),
    },
  ),
  message('UserStartedSpeaking', 'Sent when the caller starts to speak or interrupts the agent'),
  message(
    'AgentStartedSpeaking',
    'Sent when the agent starts to speak; latencies are 0 if the turn does not answer the caller',
    {
      total_latency: Type.Number(),
      tts_latency: Type.Number(),
      ttt_latency: Type.Number(),
    },
  ),
  message('AgentAudioDone', 'Sent when the agent’s turn ends'),
  message('FunctionCallRequest', 'Requests calls of client-side functions', {
    functions: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        arguments: Type.String(),
        client_side: Type.Boolean(),
      }),
    ),
  }),
  message('PromptUpdated', 'Sent when the prompt was replaced; it applies from the next turn'),
  message('ThinkUpdated', 'Sent when the functions were replaced; they apply from the next turn'),
  message('SpeakUpdated', 'Sent when the voice was replaced; it applies from the next turn'),
  message('ListenUpdated', 'Sent when the language was replaced; it applies from the next turn'),
  message('InjectionRefused', 'Sent when the agent cannot say an injected message', {
    message: Type.String(),
  }),
  message('Warning', 'Sent for a setting or message that has no effect', described),
  message('Error', 'Sent when an error occurs', described),
];

export const agentRoute = (deps: AgentSessionDeps): SocketRoute => ({
  path: '/deepgram/v1/agent/converse',
  access: { kind: 'key', scope: 'omni:session', grant: true },
  vendor: 'deepgram',
  maxFrameBytes: MAX_FRAME_BYTES,
  maxBufferedBytes: MAX_BUFFERED_BYTES,
  maxReadLagSeconds: MAX_READ_LAG_SECONDS,
  messages: {
    title: 'Deepgram’s voice agent',
    summary: 'Voice agent conversation in the messages of Deepgram’s Voice Agent API.',
    description:
      'Binary frames carry audio, and text frames carry JSON. The server uses its own language model, regardless of the provider in the settings.',
    client: CLIENT,
    server: SERVER,
  },
  accept: ({ principal }) => ({ open: (socket) => new DeepgramAgentSession(deps, principal!, socket) }),
});
