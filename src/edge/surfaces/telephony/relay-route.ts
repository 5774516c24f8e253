/**
 * Serves ConversationRelay at /v1/relay/twilio: the carrier recognizes and speaks, and exchanges text with the agent.
 */
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { ApiError, ERRORS, type ErrorCode } from '../../../foundation/platform/errors.ts';
import { newId } from '../../../foundation/platform/ids.ts';
import { printableValue } from '../../../foundation/platform/printable.ts';
import {
  type AgentOutcome,
  type AgentPart,
  callAgentOrder,
  type TextLane,
  textEngine,
} from '../../../telephony/dialling/index.ts';
import type {
  AcceptedSocket,
  Socket,
  SocketHandler,
  SocketRequest,
  SocketRoute,
} from '../../server/surface.ts';
import {
  ABNORMAL_CLOSURE,
  type AgentStreamDeps,
  closeCodeOf,
  GOING_AWAY,
  isAgentUnknown,
  resumeOf,
} from './customer-stream.ts';

const open = { additionalProperties: true } as const;
const Digits = Type.String({ pattern: '^[0-9A-D*#]{1,32}$' });

const Setup = Type.Object(
  {
    type: Type.Literal('setup'),
    sessionId: Type.Optional(Type.String()),
    callSid: Type.Optional(Type.String()),
    from: Type.Optional(Type.String()),
    to: Type.Optional(Type.String()),
    direction: Type.Optional(
      Type.String({ description: '`inbound`, or an outbound direction such as `outbound-api`.' }),
    ),
    customParameters: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
        description:
          '`agent_id` and `api_key`. `resume` with the value `only` continues the interrupted call of the same `callSid` and never starts a new one. All other parameters become variables of the agent: at most 100, and the first 4,000 characters of each.',
      }),
    ),
  },
  open,
);
const Prompt = Type.Object(
  {
    type: Type.Literal('prompt'),
    voicePrompt: Type.String({ description: 'The first 4,000 characters are read.' }),
    lang: Type.Optional(Type.String()),
    last: Type.Optional(Type.Boolean({ default: true, description: '`false` marks an interim transcript.' })),
  },
  open,
);
const Dtmf = Type.Object({ type: Type.Literal('dtmf'), digit: Digits }, open);
const Interrupt = Type.Object(
  {
    type: Type.Literal('interrupt'),
    utteranceUntilInterrupt: Type.Optional(
      Type.String({ description: 'The agent’s text that was played before the interruption.' }),
    ),
    durationUntilInterruptMs: Type.Optional(Type.Union([Type.Number(), Type.String()])),
  },
  open,
);
const Fault = Type.Object({ type: Type.Literal('error'), description: Type.Optional(Type.String()) }, open);

const Sent = {
  text: Type.Object({ type: Type.Literal('text'), token: Type.String(), last: Type.Boolean() }),
  sendDigits: Type.Object({ type: Type.Literal('sendDigits'), digits: Type.String() }),
  language: Type.Object({
    type: Type.Literal('language'),
    ttsLanguage: Type.String(),
    transcriptionLanguage: Type.String(),
  }),
  end: Type.Object({
    type: Type.Literal('end'),
    handoffData: Type.String({
      description:
        'JSON with a `reason`. For a transfer to a person it also has `to` and `summary`; for an error, its `code`.',
    }),
  }),
};

const CLIENT = { setup: Setup, prompt: Prompt, dtmf: Dtmf, interrupt: Interrupt, error: Fault };
type ClientMessage = {
  readonly [Name in keyof typeof CLIENT]: Static<(typeof CLIENT)[Name]>;
}[keyof typeof CLIENT];

const SUMMARIES: Readonly<Record<keyof typeof CLIENT, string>> = {
  setup: 'Sent first, with the call and its parameters',
  prompt: 'What the caller said',
  dtmf: 'A digit that the caller pressed',
  interrupt: 'The caller interrupted the agent',
  error: 'The carrier could not process a message',
};

const MAX_FRAME_BYTES = 64 * 1024;
const SETUP_WITHIN_MS = 10_000;
const MOST_EARLY = 64;

export const relayRoute = (deps: AgentStreamDeps): SocketRoute => ({
  path: '/v1/relay/twilio',
  access: { kind: 'signed' },
  keyScope: 'omni:session',
  maxFrameBytes: MAX_FRAME_BYTES,
  messages: {
    title: 'ConversationRelay of your own carrier account',
    summary:
      'Connects an agent to a call whose speech recognition and synthesis run at your carrier. Text is received and sent.',
    description:
      'The custom parameters `agent_id` and `api_key` (or the query parameter `agent_id`, with the key in the WebSocket upgrade) select the agent and authenticate; all other parameters become variables of the agent. Needs the scope omni:session. The protocol is Twilio’s ConversationRelay, which Telnyx also supports.',
    query: Type.Object({ agent_id: Type.Optional(Type.String()) }),
    client: Object.entries(CLIENT).map(([name, schema]) => ({
      name,
      summary: SUMMARIES[name as keyof typeof CLIENT],
      schema,
    })),
    server: [
      { name: 'text', summary: 'Text of the agent; `last` ends the turn', schema: Sent.text },
      { name: 'sendDigits', summary: 'DTMF digits for the carrier to send', schema: Sent.sendDigits },
      { name: 'language', summary: 'Switches the language of the call', schema: Sent.language },
      { name: 'end', summary: 'Ends the session', schema: Sent.end },
    ],
  },
  accept: (request) => accept(deps, request),
});

function accept(deps: AgentStreamDeps, { query, identify }: SocketRequest): AcceptedSocket {
  const agentId = query.get('agent_id');
  return { open: (socket) => new RelayCall(deps, socket, { agentId, identify }) };
}

interface Upgrade {
  readonly agentId: string | null;
  readonly identify: SocketRequest['identify'];
}

class RelayCall implements SocketHandler {
  readonly #deps: AgentStreamDeps;
  readonly #socket: Socket;
  readonly #upgrade: Upgrade;
  readonly #stopWaiting: () => void;
  #isSetUp = false;
  #isLive = false;
  #lane: TextLane | null = null;
  #part: AgentPart | null = null;
  /** Keys and words wait here until the agent is live. */
  #early: ClientMessage[] = [];
  #over = false;

  constructor(deps: AgentStreamDeps, socket: Socket, upgrade: Upgrade) {
    this.#deps = deps;
    this.#socket = socket;
    this.#upgrade = upgrade;
    this.#stopWaiting = deps.clock.after(SETUP_WITHIN_MS, () =>
      this.#refuse(
        new ApiError('invalid_request', 'No setup message was received within 10 s.', { param: 'type' }),
      ),
    );
  }

  onMessage(data: Uint8Array, isBinary: boolean): void {
    if (this.#over) return;
    const message = isBinary ? null : readMessage(data);
    if (message instanceof ApiError) this.#refuse(message);
    else if (message === null)
      this.#refuse(new ApiError('invalid_request', 'A message must be JSON text with a type.'));
    else if (message.type === 'setup') this.#setUp(message);
    else if (!this.#isLive) this.#wait(message);
    else this.#take(message);
  }

  onClosing(code: number): void {
    if (code === GOING_AWAY) this.#leave('draining');
  }

  onClosed(code: number): void {
    this.#stopWaiting();
    this.#leave(code === ABNORMAL_CLOSURE ? 'client_gone' : null);
  }

  #leave(lost: 'client_gone' | 'draining' | null): void {
    if (this.#over) return;
    this.#over = true;
    if (lost !== null) this.#part?.lost(lost);
    else this.#part?.leave();
  }

  #setUp(setup: Static<typeof Setup>): void {
    if (this.#isSetUp) {
      this.#refuse(new ApiError('invalid_request', 'setup can be sent only once.', { param: 'type' }));
      return;
    }
    this.#isSetUp = true;
    this.#stopWaiting();
    void this.#begin(setup);
  }

  #wait(message: ClientMessage): void {
    if (!this.#isSetUp)
      this.#refuse(new ApiError('invalid_request', 'The first message must be setup.', { param: 'type' }));
    else if (this.#early.length < MOST_EARLY) this.#early.push(message);
  }

  async #begin({
    customParameters = {},
    callSid,
    direction = 'inbound',
    from = '',
    to = '',
  }: Static<typeof Setup>) {
    const all = Object.fromEntries(
      Object.entries(customParameters).map(([name, value]) => [name, String(value)]),
    );
    const { api_key: key, agent_id: said, resume, ...variables } = all;
    const isInbound = direction.startsWith('inbound');
    try {
      const principal = await this.#upgrade.identify(key);
      const agentId = said ?? this.#upgrade.agentId;
      if (agentId === null)
        throw new ApiError('invalid_request', 'agent_id is required.', { param: 'agent_id' });
      if (await isAgentUnknown(this.#deps, principal, agentId))
        throw new ApiError('invalid_request', `There is no agent ${printableValue(agentId)}.`, {
          param: 'agent_id',
        });
      const { clock, agents } = this.#deps;
      const engine = textEngine(clock, this.#relay(), (lane) => {
        this.#lane = lane;
      });
      const deps = { ...agents, live: { ...agents.live, engine } };
      const part = await callAgentOrder(deps, {
        principal,
        agentId,
        telephonyCallId: callSid ?? newId('tcl'),
        direction: isInbound ? 'inbound' : 'outbound',
        number: isInbound ? from : to,
        variables,
        ...resumeOf(callSid ?? null, resume),
        sendKeys: (digits) => this.#send({ type: 'sendDigits', digits }),
        begun: () => this.#begun(),
        done: (outcome) => this.#done(outcome),
      });
      this.#part = part;
      if (this.#over) part.leave();
      else part.enter(null);
    } catch (error) {
      this.#refuse(error);
    }
  }

  #relay() {
    return {
      token: (token: string) => this.#send({ type: 'text', token, last: false }),
      last: () => this.#send({ type: 'text', token: '', last: true }),
      language: (language: string) => {
        const tag = LOCALES[language] ?? language;
        this.#send({ type: 'language', ttsLanguage: tag, transcriptionLanguage: tag });
      },
    };
  }

  /** The agent goes live before it greets; early messages of the caller follow. */
  #begun(): void {
    this.#deps.clock.after(0, () => {
      this.#isLive = true;
      for (const message of this.#early.splice(0)) this.#take(message);
    });
  }

  #take(message: ClientMessage): void {
    switch (message.type) {
      case 'prompt':
        // An empty audio frame marks that the caller has spoken.
        this.#part?.audio(new Uint8Array(0));
        this.#lane?.prompt(message.voicePrompt, message.last ?? true);
        return;
      case 'interrupt':
        this.#lane?.interrupted(message.utteranceUntilInterrupt ?? '');
        return;
      case 'dtmf':
        for (const digit of message.digit) this.#part?.key(digit);
        return;
      case 'error':
        this.#deps.log.warn(
          { said: message.description?.slice(0, 300) },
          'a carrier’s relay reports an error',
        );
        return;
      default:
        return;
    }
  }

  #done(outcome: AgentOutcome): void {
    if (outcome.kind === 'failed') this.#fail(outcome.code, ERRORS[outcome.code].status);
    else if (outcome.kind === 'hand_over')
      this.#end({ reason: 'hand_over', to: outcome.to, summary: outcome.summary }, 1000);
    else this.#end({ reason: outcome.reason }, outcome.reason === 'credential_revoked' ? 4401 : 1000);
  }

  #refuse(error: unknown): void {
    const known =
      error instanceof ApiError ? error : new ApiError('internal_error', 'The call could not start.');
    if (known !== error) this.#deps.log.error({ err: error }, 'a relayed call could not start');
    this.#fail(known.code, known.status, known.message, known.param);
  }

  #fail(code: ErrorCode, status: number, message?: string, param?: string | null): void {
    this.#end(
      { reason: 'failed', code, ...(message && { message }), ...(param && { param }) },
      closeCodeOf(status),
    );
  }

  #end(
    why: Readonly<
      Record<'reason', string> & Partial<Record<'code' | 'message' | 'param' | 'to' | 'summary', string>>
    >,
    closeCode: number,
  ): void {
    if (this.#over) return;
    this.#stopWaiting();
    this.#send({ type: 'end', handoffData: JSON.stringify(why) });
    this.#over = true;
    this.#socket.close(closeCode, why.code ?? why.reason);
    this.#part?.leave();
  }

  #send(message: { readonly type: keyof typeof Sent; readonly [field: string]: unknown }): void {
    if (!this.#over) this.#socket.send(JSON.stringify(message));
  }
}

const LOCALES: Readonly<Record<string, string>> = {
  en: 'en-US',
  es: 'es-ES',
  fr: 'fr-FR',
  de: 'de-DE',
  hi: 'hi-IN',
};

const decoder = new TextDecoder();

/**
 * Returns null for what is not JSON with a type. Unknown types are ignored, because protocols grow.
 * A field that is null counts as absent: Twilio's own models write each field that a call lacks so.
 */
function readMessage(data: Uint8Array): ClientMessage | ApiError | null {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(data), (_name, member) => member ?? undefined);
  } catch {
    return null;
  }
  const type = (value as { type?: unknown } | null)?.type;
  if (typeof type !== 'string') return null;
  if (!Object.hasOwn(CLIENT, type))
    return { type: 'error', description: `Unknown message ${type.slice(0, 64)}.` };
  const schema = CLIENT[type as keyof typeof CLIENT];
  if (Value.Check(schema, value)) return value as ClientMessage;
  const [first] = Value.Errors(schema, value);
  const param = first?.instancePath.split('/')[1] ?? type;
  return new ApiError(
    'invalid_request',
    `${type}: ${param} ${first?.message ?? 'does not match the schema'}.`,
    {
      param,
    },
  );
}
