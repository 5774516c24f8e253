import { type Static, Type } from 'typebox';
import type { WholeCall } from '../../../conversation/calls/index.ts';
import { PageQuery } from '../../../foundation/platform/pages.ts';
import { PlainText } from '../../../foundation/platform/plain-text.ts';
import type { AnswerVerdict, MessageEnd } from '../../../speech/amd/index.ts';

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const Moment = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

const Kind = Type.Enum(['browser', 'telephony', 'msgapp', 'amd', 'test'], {
  description:
    'How the call is connected. `browser` is a direct connection of a client by WebSocket or WebRTC.',
});
const State = Type.Enum(['queued', 'ringing', 'answered', 'ended']);
const Direction = Type.Enum(['inbound', 'outbound']);

export const CallQuery = Type.Object({
  ...PageQuery.properties,
  kind: Type.Optional(Kind),
  state: Type.Optional(State),
  direction: Type.Optional(Direction),
  agent_id: Type.Optional(Type.String({ pattern: '^agt_[0-9A-Za-z]{20}$' })),
  session_label: Type.Optional(PlainText(128, 'The label that was passed on connect.')),
  external_id: Type.Optional(PlainText(256, 'The end user, as set in `configure.meta`.')),
  phone_number: Type.Optional(
    Type.String({
      pattern: '^\\+[1-9][0-9]{6,14}$',
      description: 'A phone number of either party, in E.164 format.',
    }),
  ),
  from: Type.Optional(Moment('Only return calls created at or after this Unix time in milliseconds.')),
  to: Type.Optional(Moment('Only return calls created at or before this Unix time in milliseconds.')),
});
export type CallQuery = Static<typeof CallQuery>;

export const CallParams = Type.Object({
  id: Type.String({
    maxLength: 256,
    description:
      'The ID of the call, or of one of its legs (`tcl_`, `wcall_`), sessions (`ocl_`) or detections (`amd_`).',
  }),
});
export type CallParams = Static<typeof CallParams>;

const Leg = Type.Object(
  {
    id: Type.String({
      description:
        'The ID of the leg: `tcl_…` for /v1/telephony/calls/{id}, `wcall_…` for /v1/msgapp/calls/{id}.',
    }),
    carrier: Type.String(),
    direction: Direction,
    from: Type.String(),
    to: Type.String(),
    agent_id: nullable(Type.String()),
    state: State,
    end_reason: nullable(Type.String()),
    end_detail: nullable(Type.String()),
    answered_by: nullable(Type.String()),
    created_at: Type.Integer(),
    answered_at: nullable(Type.Integer()),
    ended_at: nullable(Type.Integer()),
  },
  { description: 'A party connected by a carrier. A warm transfer adds a leg.' },
);

const Session = Type.Object(
  {
    id: Type.String({
      description:
        'The ID of the session. After the session has ended, /v1/omni/calls/{id} returns its transcript.',
    }),
    status: Type.Enum(['live', 'completed', 'failed']),
    agent_id: nullable(Type.String()),
    agent_version: nullable(Type.Integer()),
    session_label: nullable(Type.String()),
    external_id: nullable(Type.String()),
    language: Type.String(),
    voice_id: Type.String(),
    voice_tier: Type.Enum(['standard', 'natural']),
    turns: Type.Integer({ description: 'The number of caller turns that the agent answered.' }),
    path: Type.Array(Type.String(), {
      description: 'The nodes of the agent’s flow that the call visited, in order.',
    }),
    started_at: Type.Integer(),
    duration_s: Type.Number(),
    end_reason: nullable(Type.String()),
  },
  { description: 'An agent’s session with the caller, from start to end.' },
);

const Detection = Type.Object(
  {
    id: Type.String({ description: 'The ID of the detection: /v1/amd/calls/{id}.' }),
    answered_by: Type.String(),
    reason: Type.String(),
    confidence: Type.Number(),
    at_ms: Type.Integer(),
    message_end: nullable(Type.Object({ kind: Type.String(), at_ms: Type.Integer() })),
    corrected_to: nullable(Type.String()),
    created_at: Type.Integer(),
  },
  { description: 'An answering-machine detection.' },
);

const Recording = Type.Object(
  {
    id: Type.String({
      description: 'The ID of the session; /v1/omni/calls/{id}/recording returns the audio.',
    }),
    status: Type.Enum(['pending', 'success', 'skipped', 'failed', 'removed']),
    reason: Type.String(),
    format: nullable(Type.Enum(['wav', 'flac', 'opus'])),
    bytes: nullable(Type.Integer()),
    duration_s: nullable(Type.Number()),
  },
  { description: 'The recording of a session. The list is empty if no recording was requested.' },
);

export const Call = Type.Object({
  id: Type.String({ pattern: '^ocl_[A-Za-z0-9]{20}$' }),
  object: Type.Literal('call'),
  kind: Kind,
  direction: Direction,
  state: State,
  end_reason: nullable(
    Type.String({
      description:
        'The end reason of the first leg, or of the session. `lost` means that the server handling the call failed.',
    }),
  ),
  legs: Type.Array(Leg, { description: 'Oldest first. Empty for a direct connection of a client.' }),
  sessions: Type.Array(Session, { description: 'Oldest first. Empty if no agent handled the call.' }),
  detections: Type.Array(Detection),
  recordings: Type.Array(Recording),
  cost: Type.Object(
    { micros: Type.Integer(), meters: Type.Record(Type.String(), Type.Integer()) },
    {
      description:
        'The cost at list price, in millionths of the currency unit, in total and per meter. It includes legs, sessions and detections; each is added when it ends.',
    },
  ),
  owner: nullable(
    Type.Object(
      {
        node: Type.String(),
        fence: Type.Integer({
          description: 'The fencing token of the node. It increases each time the node is considered lost.',
        }),
        renewed_at: Type.Integer({ description: 'When the node last renewed its lease.' }),
      },
      { description: 'The node that handles the call; null unless the call is active.' },
    ),
  ),
  created_at: Type.Integer({ description: 'When the call was created; it never changes.' }),
  answered_at: nullable(Type.Integer()),
  ended_at: nullable(Type.Integer()),
});

export const CallList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Call),
  next_cursor: nullable(Type.String()),
});

const moment = (at: number | null): number | null => (at === null ? null : Number(at));
const seconds = (ms: number | null): number | null => (ms === null ? null : Number(ms) / 1000);

export const showCall = ({ call, legs, sessions, detections, recordings, cost, owner }: WholeCall) => ({
  id: call.id,
  object: 'call' as const,
  kind: call.kind,
  direction: call.direction,
  state: call.state,
  end_reason: call.end_reason,
  legs: legs.map(showLeg),
  sessions: sessions.map(showSession),
  detections: detections.map(showDetection),
  recordings: recordings.map(showRecording),
  cost,
  owner: owner && { node: owner.id, fence: Number(owner.fence), renewed_at: Number(owner.seen_at) },
  created_at: Number(call.created_at),
  answered_at: moment(call.answered_at),
  ended_at: moment(call.ended_at),
});

const showLeg = (leg: WholeCall['legs'][number]) => ({
  id: leg.id,
  carrier: leg.carrier,
  direction: leg.direction,
  from: leg.from_number,
  to: leg.to_number,
  agent_id: leg.agent_id,
  state: leg.state,
  end_reason: leg.end_reason,
  end_detail: leg.end_detail,
  answered_by: leg.answered_by,
  created_at: Number(leg.created_at),
  answered_at: moment(leg.answered_at),
  ended_at: moment(leg.ended_at),
});

function showSession(row: WholeCall['sessions'][number]) {
  const { turns = [], path = [] } = JSON.parse(row.turns ?? '{}') as {
    turns?: readonly unknown[];
    path?: readonly { readonly node: string }[];
  };
  return {
    id: row.id,
    status: row.status,
    agent_id: row.agent_id,
    agent_version: row.agent_version === null ? null : Number(row.agent_version),
    session_label: row.session_label,
    external_id: row.external_id,
    language: row.language,
    voice_id: row.voice_id,
    voice_tier: row.voice_tier,
    turns: turns.length,
    path: path.map(({ node }) => node),
    started_at: Number(row.started_at),
    duration_s: Number(row.duration_ms) / 1000,
    end_reason: row.end_reason,
  };
}

function showDetection(row: WholeCall['detections'][number]) {
  const { reason, confidence, atMs } = JSON.parse(row.verdict) as AnswerVerdict;
  const end = row.message_end === null ? null : (JSON.parse(row.message_end) as MessageEnd);
  return {
    id: row.id,
    answered_by: row.answered_by,
    reason,
    confidence,
    at_ms: atMs,
    message_end: end === null ? null : { kind: end.kind, at_ms: end.atMs },
    corrected_to: row.corrected_to,
    created_at: Number(row.created_at),
  };
}

function showRecording({ id, status, reason, format, bytes, duration_ms }: WholeCall['recordings'][number]) {
  const isPending = status === 'waiting' || status === 'recording';
  return {
    id,
    status: isPending ? ('pending' as const) : status,
    reason,
    format,
    bytes: moment(bytes),
    duration_s: seconds(duration_ms),
  };
}
