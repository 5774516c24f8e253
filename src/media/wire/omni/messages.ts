import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { nestsWithin } from '../../../foundation/platform/nesting.ts';

/** The table defines every control message of the Omni wire, for parsing and for the AsyncAPI description. */

const Language = Type.Union([
  Type.Literal('en'),
  Type.Literal('fr'),
  Type.Literal('es'),
  Type.Literal('de'),
  Type.Literal('hi'),
]);

const closed = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });

export const ToolDefinition = closed({
  name: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', examples: ['look_up_order'] }),
  description: Type.Optional(Type.String({ maxLength: 1024 })),
  parameters: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the arguments.' }),
  ),
  timeout_ms: Type.Optional(Type.Integer({ minimum: 100, maximum: 30_000, default: 5000 })),
  filler: Type.Optional(Type.String({ maxLength: 200, description: 'Spoken while the tool runs.' })),
  confirm: Type.Optional(
    Type.Boolean({ description: 'Whether the agent asks the caller for confirmation before each call.' }),
  ),
});

export const FunctionTool = closed({
  type: Type.Literal('function'),
  function: closed({
    name: ToolDefinition.properties.name,
    description: ToolDefinition.properties.description,
    parameters: ToolDefinition.properties.parameters,
    strict: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  }),
  timeout_ms: ToolDefinition.properties.timeout_ms,
  filler: ToolDefinition.properties.filler,
  confirm: Type.Optional(Type.Boolean()),
});

export type Tool = Static<typeof ToolDefinition>;

export function toolOf(tool: Tool | Static<typeof FunctionTool>): Tool {
  if (!('function' in tool)) return tool;
  const { type: _type, function: called, ...rest } = tool;
  const { strict: _strict, ...definition } = called;
  return { ...definition, ...rest };
}

export const Configure = closed({
  type: Type.Literal('configure'),
  language: Type.Optional(Language),
  voice_id: Type.Optional(Type.String({ maxLength: 128 })),
  voice_under_load: Type.Optional(
    Type.Union([Type.String({ maxLength: 128 }), Type.Null()], {
      description:
        'A Standard voice that replaces the call’s voice if the server is under load when the call starts; null means none.',
    }),
  ),
  voice_instruct: Type.Optional(Type.String({ maxLength: 200 })),
  persona: Type.Optional(Type.String({ maxLength: 16_000 })),
  greeting: Type.Optional(Type.String({ maxLength: 1000 })),
  consent_line: Type.Optional(Type.String({ maxLength: 1000 })),
  meta: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  tools: Type.Optional(Type.Array(Type.Union([ToolDefinition, FunctionTool]), { maxItems: 32 })),
  vocabulary: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 200 })),
  seed: Type.Optional(Type.Integer()),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  kb_endpoint: Type.Optional(Type.String({ maxLength: 2048 })),
  barge_sensitivity: Type.Optional(
    Type.Unknown({ description: 'Accepted and ignored: this is a setting of the agent’s profile.' }),
  ),
  resume: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description:
        'Resumes the call of this token, which `configured` returned. Send it on a new connection, as the only field of the first message.',
    }),
  ),
});

/**
 * A client configures its session with these fields. The creator of a browser token may withhold them from the page.
 */
export const CONFIGURABLE: readonly string[] = Object.keys(Configure.properties).filter(
  (name) => !['type', 'barge_sensitivity', 'resume'].includes(name),
);

export const ToolResult = closed({
  type: Type.Literal('tool_result'),
  call_id: Type.String({ maxLength: 128 }),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.String({ maxLength: 1000 })),
});

export const Dtmf = closed({
  type: Type.Literal('dtmf'),
  digits: Type.String({ pattern: '^[0-9A-D*#]{1,32}$' }),
});

export const Say = closed({
  type: Type.Literal('say'),
  text: Type.String({ minLength: 1, maxLength: 1000 }),
  interrupt: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        '`true` speaks immediately: it replaces what the agent is saying, and talks over the caller. `false` waits until nobody speaks.',
    }),
  ),
});
export const UserText = closed({
  type: Type.Literal('user_text'),
  text: Type.String({ minLength: 1, maxLength: 4000, description: 'A typed user turn.' }),
});

export const Context = closed({
  type: Type.Literal('context'),
  text: Type.String({
    minLength: 1,
    maxLength: 8000,
    description: 'Information for the model that is not spoken.',
  }),
});

export const Capture = closed({
  type: Type.Literal('capture'),
  slot: Type.String({ minLength: 1, maxLength: 64 }),
  kind: Type.Enum(['digits', 'phone', 'email', 'name', 'code', 'date', 'time', 'amount', 'yes_no'] as const),
  prompt: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: 'The first question to the caller.' }),
  ),
  lookup: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'The name of one of the agent’s lookups, which holds the accepted values; for the kinds name, code, email, digits and phone.',
    }),
  ),
});

export const Interrupt = closed({ type: Type.Literal('interrupt') });
/** Browsers cannot see or send the pings of RFC 6455, so that a client asks in a message whether the server still answers. */
export const Ping = closed({ type: Type.Literal('ping') });
export const End = closed({ type: Type.Literal('end') });

export const CLIENT_MESSAGES = {
  configure: Configure,
  tool_result: ToolResult,
  dtmf: Dtmf,
  say: Say,
  user_text: UserText,
  context: Context,
  capture: Capture,
  interrupt: Interrupt,
  ping: Ping,
  end: End,
} as const satisfies Record<string, TObject>;

export type Configuration = Static<typeof Configure>;
export type ClientMessage =
  | Configuration
  | Static<typeof ToolResult>
  | Static<typeof Dtmf>
  | Static<typeof Say>
  | Static<typeof UserText>
  | Static<typeof Context>
  | Static<typeof Capture>
  | Static<typeof Interrupt>
  | Static<typeof Ping>
  | Static<typeof End>;

export class MessageError extends Error {
  readonly param: string;
  constructor(param: string, message: string) {
    super(message);
    this.name = 'MessageError';
    this.param = param;
  }
}

const MAX_LEVELS = 64;

export function readClientMessage(json: unknown): ClientMessage {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new MessageError('type', 'a control message must be a JSON object with a type');
  }
  const type = (json as { type?: unknown }).type;
  const schema = CLIENT_MESSAGES[type as keyof typeof CLIENT_MESSAGES] as TObject | undefined;
  if (typeof type !== 'string' || schema === undefined || !Object.hasOwn(CLIENT_MESSAGES, type)) {
    throw new MessageError('type', `type must be one of ${Object.keys(CLIENT_MESSAGES).join(', ')}`);
  }
  const unknown = Object.keys(json).find((name) => !(name in schema.properties));
  if (unknown !== undefined) throw new MessageError(unknown, `${type} has no field ${unknown}`);
  const deep = Object.entries(json).find(([, value]) => !nestsWithin(MAX_LEVELS, value));
  if (deep !== undefined)
    throw new MessageError(deep[0], `${deep[0]} is nested more than ${MAX_LEVELS} levels deep`);
  const errors = Value.Errors(schema, json);
  if (errors[0] !== undefined) throw faultOf(type, errors, errors[0]);
  return json as ClientMessage;
}

type Fault = ReturnType<typeof Value.Errors>[number];

function faultOf(type: string, errors: readonly Fault[], first: Fault): MessageError {
  const at = first.instancePath.slice(1).replaceAll('/', '.');
  switch (first.keyword) {
    case 'required': {
      const missing = [at, first.params.requiredProperties[0]].filter(Boolean).join('.');
      return new MessageError(missing, `${missing} is required`);
    }
    case 'const': {
      const allowed = errors.flatMap((error) =>
        error.keyword === 'const' && error.instancePath === first.instancePath
          ? [String(error.params.allowedValue)]
          : [],
      );
      return new MessageError(at, `${at} must be one of ${allowed.join(', ')}`);
    }
    case 'boolean':
      return new MessageError(at, `there is no field ${at}`);
    default:
      return new MessageError(at, `${at || type}: ${first.message}`);
  }
}

export const ServerTranscript = closed({
  role: Type.Enum(['user', 'agent']),
  turn_id: Type.Integer({ minimum: 0 }),
  text: Type.String(),
  final: Type.Boolean(),
});

export const END_REASONS = [
  'client_ended',
  'client_gone',
  'agent_ended',
  'agent_stuck',
  'hand_over',
  'caller_idle',
  'max_duration',
  'brain_unavailable',
  'engine_failed',
  'credential_revoked',
  'forbidden',
  'cap_reached',
  'protocol_violation',
  'draining',
] as const;
export type EndReason = (typeof END_REASONS)[number];
export const EndReasonSchema = Type.Enum(END_REASONS);

const Milliseconds = Type.Integer({ minimum: 0 });

export const SERVER_EVENTS = {
  configured: closed({
    event: Type.Literal('configured'),
    call_id: Type.String({ pattern: '^ocl_[A-Za-z0-9]{20}$' }),
    language_active: Type.String(),
    language_fallback: Type.Boolean(),
    voice_id: Type.String(),
    voice_tier: Type.Enum(['standard', 'natural']),
    voice_gave_way: Type.Boolean({
      description:
        'Whether `voice_under_load` is used instead of the call’s voice because the server is under load.',
    }),
    format: Type.Literal('pcm16'),
    rate: Type.Integer(),
    resume: Type.Optional(
      closed({
        token: Type.String(),
        ttl_s: Type.Integer({
          description: 'Seconds after a connection loss within which another connection can resume the call.',
        }),
        silent_after_ms: Type.Integer({
          description:
            'A client that sends `ping` every quarter of this time, and gets no message for the whole of it, opens another connection; where that succeeds and still nothing has come, it resumes the call.',
        }),
      }),
    ),
    resumed: Type.Optional(Type.Literal(true, { description: 'Whether the call was resumed with a token.' })),
    turn: Type.Optional(Type.Integer({ description: 'For a resumed call: its latest turn.' })),
    played_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'For a resumed call: how many milliseconds of that turn were played.',
      }),
    ),
  }),
  barge_in: closed({
    event: Type.Literal('barge_in'),
    turn_id: Type.Integer(),
    played_ms: Milliseconds,
    alias: Type.Literal('flush'),
  }),
  tool_call: closed({
    event: Type.Literal('tool_call'),
    call_id: Type.String(),
    name: Type.String(),
    arguments: Type.Record(Type.String(), Type.Unknown()),
    timeout_ms: Type.Integer(),
  }),
  captured: closed({
    event: Type.Literal('captured'),
    slot: Type.String(),
    kind: Type.String(),
    value: Type.String(),
    confidence: Type.Number(),
    confirmed: Type.Enum(['read_back', 'keys', 'high_confidence'] as const),
    attempts: Type.Integer(),
    record_id: Type.Optional(
      Type.String({ description: 'The `id` of the row of the lookup, where it has one.' }),
    ),
  }),
  capture_failed: closed({
    event: Type.Literal('capture_failed'),
    slot: Type.String(),
    reason: Type.Enum(['not_understood', 'no_answer', 'dropped'] as const),
  }),
  flow_node: closed({
    event: Type.Literal('flow_node'),
    node: Type.String(),
    from: Type.Union([Type.String(), Type.Null()]),
  }),
  language_changed: closed({
    event: Type.Literal('language_changed'),
    from: Type.String(),
    to: Type.String(),
    reason: Type.Enum(['detected', 'asked', 'flow', 'tool'] as const),
    turn_id: Type.Integer(),
  }),
  send_keys: closed({ event: Type.Literal('send_keys'), digits: Type.String() }),
  hand_over: closed({ event: Type.Literal('hand_over'), to: Type.String(), summary: Type.String() }),
  speech_started: closed({ event: Type.Literal('speech_started'), at_ms: Milliseconds }),
  speech_stopped: closed({ event: Type.Literal('speech_stopped'), at_ms: Milliseconds }),
  turn: closed({
    event: Type.Literal('turn'),
    turn_id: Type.Integer(),
    latency_ms: closed({
      endpoint: Milliseconds,
      asr: Milliseconds,
      brain: Milliseconds,
      tts: Milliseconds,
      total: Milliseconds,
    }),
  }),
  pong: closed({ event: Type.Literal('pong') }),
  ended: closed({ event: Type.Literal('ended'), reason: EndReasonSchema, duration_s: Type.Number() }),
  error: closed({
    event: Type.Literal('error'),
    error: closed({
      message: Type.String(),
      type: Type.String(),
      code: Type.String(),
      param: Type.Union([Type.String(), Type.Null()]),
      node: Type.Optional(
        Type.String({
          description: 'For the code `capacity`: the address of another node that has capacity.',
        }),
      ),
    }),
  }),
} as const satisfies Record<string, TObject>;

type EventOf<K extends keyof typeof SERVER_EVENTS> = Static<(typeof SERVER_EVENTS)[K]>;
export type ServerEvent = { [K in keyof typeof SERVER_EVENTS]: EventOf<K> }[keyof typeof SERVER_EVENTS];
