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
  { name: 'audio', summary: 'Sound of the caller, as `audio.input` says' },
  message('Settings', 'First: the formats, and an agent that is described or named by its `agt_…`', {
    audio: Type.Optional(Type.Object({}, open)),
    agent: Type.Union([Type.String(), Type.Object({}, open)]),
  }),
  message('UpdatePrompt', 'Another prompt', { prompt: Type.String() }),
  message('UpdateThink', 'Another prompt, other functions', { think: Type.Unknown() }),
  message('UpdateSpeak', 'Another voice', { speak: Type.Unknown() }),
  message('UpdateListen', 'Another language', { listen: Type.Unknown() }),
  message('InjectUserMessage', 'A turn of the caller’s that was typed', { content: Type.String() }),
  message('InjectAgentMessage', 'The agent says this', {
    message: Type.String(),
    behavior: Type.Optional(Type.Enum(['default', 'queue', 'interrupt'])),
  }),
  message('FunctionCallResponse', 'The result of a function', {
    id: Type.Optional(Type.String()),
    name: Type.String(),
    content: Type.String(),
  }),
  message('KeepAlive', 'Changes nothing'),
  message('ForceEndTurn', 'Changes nothing: `Warning`'),
];
const SERVER: readonly SocketMessage[] = [
  {
    name: 'audio',
    summary: 'Sound of the agent, as `audio.output` says',
    contentType: 'application/octet-stream',
  },
  message('Welcome', 'First', { request_id: Type.String() }),
  message('SettingsApplied', 'The call is live'),
  message('ConversationText', 'What was said: of the agent what was heard, once its turn is over', {
    role: Type.Enum(['user', 'assistant']),
    content: Type.String(),
  }),
  message('UserStartedSpeaking', 'The caller speaks, or interrupts the agent'),
  message('AgentStartedSpeaking', 'The agent speaks; latencies are 0 where it answers nobody', {
    total_latency: Type.Number(),
    tts_latency: Type.Number(),
    ttt_latency: Type.Number(),
  }),
  message('AgentAudioDone', 'The turn of the agent is over'),
  message('FunctionCallRequest', 'Functions of the client are called', {
    functions: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        arguments: Type.String(),
        client_side: Type.Boolean(),
      }),
    ),
  }),
  message('PromptUpdated', 'The prompt is another from the next turn on'),
  message('ThinkUpdated', 'So are the functions'),
  message('SpeakUpdated', 'So is the voice'),
  message('ListenUpdated', 'So is the language'),
  message('InjectionRefused', 'The words are not spoken', { message: Type.String() }),
  message('Warning', 'A setting or message that changed nothing', described),
  message('Error', 'What went wrong', described),
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
    summary: 'A conversation with an agent of this server, in the messages of Deepgram’s voice agent.',
    description:
      'Binary frames are sound, text frames JSON. The server’s own model thinks, whatever provider is named.',
    client: CLIENT,
    server: SERVER,
  },
  accept: ({ principal }) => ({ open: (socket) => new DeepgramAgentSession(deps, principal!, socket) }),
});
