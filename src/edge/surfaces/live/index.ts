import Type from 'typebox';
import { grants, type Principal, tenantScopeOf } from '../../../foundation/access/index.ts';
import { EVENT_TYPES, EVENTS, type EventType } from '../../../foundation/events/index.ts';
import type { LiveEvent, LiveEventType, LiveFeed } from '../../../foundation/live/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import type { AcceptedSocket, Socket, SocketMessage, SocketRequest, Surface } from '../../server/surface.ts';

/** The limit is small because the client sends nothing that matters. */
const MAX_FRAME_BYTES = 1_024;

type FamilyOf<T extends string> = T extends `${infer Name}.${string}` ? Name : never;

/** The record type makes the compiler report a family without a scope. */
const SCOPES_BY_FAMILY: Readonly<Record<FamilyOf<EventType | LiveEventType>, string>> = {
  call: 'omni:read',
  omni: 'omni:read',
  transcription: 'transcribe:jobs',
  amd: 'amd:read',
  recap: 'recap:read',
  trace: 'trace:read',
  message: 'telephony:manage',
  telephony: 'telephony:manage',
  msgapp: 'telephony:manage',
  compliance: 'telephony:manage',
  knowledge: 'kb:manage',
  cast: 'speak:synthesize',
  dub: 'dub:manage',
  billing: 'billing:read',
  integration: 'webhooks:manage',
};

const mayRead = (scopes: readonly string[], type: string): boolean => {
  const family = type.split('.', 1)[0] as keyof typeof SCOPES_BY_FAMILY;
  return Object.hasOwn(SCOPES_BY_FAMILY, family) && grants(scopes, SCOPES_BY_FAMILY[family]);
};

const showEvent = (type: string, data: Parameters<typeof Type.Object>[0]) =>
  Type.Object({
    type: Type.Literal(type),
    at: Type.Integer({ description: 'Unix time in milliseconds.' }),
    data: Type.Object(data),
  });

const nullable = Type.Union([Type.String(), Type.Null()]);
const Latency = Type.Object({
  endpoint: Type.Integer(),
  asr: Type.Integer(),
  brain: Type.Integer(),
  tts: Type.Integer(),
  total: Type.Integer(),
});

const CALL_EVENTS: readonly SocketMessage[] = [
  {
    name: 'call.began',
    summary: 'Sent when a call starts. A client that connects later receives it for each active call',
    schema: showEvent('call.began', {
      call_id: Type.String(),
      agent_id: nullable,
      session_label: nullable,
      language: Type.String(),
      started_at: Type.Integer(),
    }),
  },
  {
    name: 'call.said',
    summary: 'A transcript entry of a turn; a newer text of the same turn replaces the previous one',
    schema: showEvent('call.said', {
      call_id: Type.String(),
      role: Type.Enum(['user', 'agent']),
      turn_id: Type.Integer(),
      text: Type.String(),
      final: Type.Boolean(),
    }),
  },
  {
    name: 'call.speech',
    summary: 'Sent when the caller starts or stops speaking',
    schema: showEvent('call.speech', { call_id: Type.String(), kind: Type.Enum(['started', 'stopped']) }),
  },
  {
    name: 'call.turn',
    summary: 'Sent when a turn ends, with the latency of each step',
    schema: showEvent('call.turn', { call_id: Type.String(), turn_id: Type.Integer(), latency_ms: Latency }),
  },
  {
    name: 'call.over',
    summary: 'Sent when a call has ended; its record follows',
    schema: showEvent('call.over', { call_id: Type.String(), reason: Type.String() }),
  },
];

/** The events have the stored form: `data` follows the catalogue, or has only ids when it is long. */
const EVENT_FAMILIES: readonly SocketMessage[] = EVENT_TYPES.map((type) => ({
  name: type,
  summary: EVENTS[type].description,
  schema: Type.Object({
    type: Type.Literal(type),
    at: Type.Integer(),
    data: Type.Object({}, { additionalProperties: true }),
  }),
}));

export function createLiveSurface(feed: LiveFeed): Surface {
  return {
    name: 'live',
    sockets: [
      {
        path: '/v1/live',
        access: { kind: 'key' },
        maxFrameBytes: MAX_FRAME_BYTES,
        messages: {
          title: 'Live',
          summary: 'Live events in the project and environment of the API key, as JSON text frames.',
          description:
            'Events of active calls need the scope `omni:read`; other events need the scope that can read their resource. Events are not replayed to clients that connect later; use the REST API for past data. Messages from the client are ignored.',
          client: [],
          server: [...CALL_EVENTS, ...EVENT_FAMILIES],
        },
        accept: (request) => accept(feed, request),
      },
    ],
    stop: async () => feed.stop(),
  };
}

function accept(feed: LiveFeed, { principal }: SocketRequest): AcceptedSocket {
  if (principal === null) throw new ApiError('missing_api_key', 'no credential was sent');
  return { open: (socket) => streamEvents(feed, principal, socket) };
}

function streamEvents(feed: LiveFeed, principal: Principal, socket: Socket) {
  const stop = feed.subscribe(tenantScopeOf(principal), (event: LiveEvent) => {
    if (mayRead(principal.scopes, event.type)) socket.send(JSON.stringify(event));
  });
  return { onMessage: () => undefined, onClosed: stop };
}
