import Type, { type Static } from 'typebox';
import { nullable } from '../define-event.ts';

const Moment = Type.Integer({ description: 'Unix milliseconds' });
const Direction = Type.Object({
  frames: nullable(Type.Integer()),
  lost: nullable(Type.Integer()),
  late: nullable(Type.Integer()),
  concealed: nullable(Type.Integer()),
  jitter_ms: nullable(Type.Number()),
  clipped: nullable(Type.Number({ description: 'Share of the samples that are cut flat, 0 to 1' })),
});
const Echo = Type.Object(
  {
    delay_ms: Type.Integer(),
    level_db: Type.Number({ description: 'Beside what was said: below 0 is quieter' }),
  },
  { description: 'What we say, as it comes back from the other side' },
);

export const CreatedBy = nullable(
  Type.Object(
    { kind: Type.Enum(['key', 'user', 'campaign']), id: Type.String() },
    { title: 'CreatedBy', description: 'Who made it' },
  ),
);

export const TelephonyCallRecord = Type.Object({
  id: Type.String(),
  object: Type.Literal('telephony.call'),
  direction: Type.Enum(['inbound', 'outbound']),
  from: Type.String(),
  to: Type.String(),
  agent_id: nullable(Type.String()),
  campaign_id: nullable(Type.String()),
  state: Type.Enum(['queued', 'ringing', 'answered', 'ended']),
  end_reason: nullable(
    Type.Enum(['completed', 'busy', 'no_answer', 'rejected', 'failed', 'canceled', 'machine']),
  ),
  end_detail: nullable(Type.String()),
  answered_by: nullable(Type.String({ description: 'As AMD says it; null where it was not asked' })),
  omni_call_id: nullable(Type.String({ description: 'The talk: /v1/omni/calls/{id}' })),
  variables: Type.Record(Type.String(), Type.String()),
  duration_s: Type.Number({ description: 'From the answer to the last sound' }),
  billed_minutes: Type.Integer(),
  quality: Type.Object({
    received: Type.Optional(Direction),
    sent: Type.Optional(Direction),
    mos: Type.Optional(nullable(Type.Number({ description: '1 to 4.5, estimated' }))),
    echo: Type.Optional(nullable(Echo)),
    one_way: Type.Optional(Type.Boolean({ description: 'Nothing came from the other side' })),
  }),
  schedule_at: nullable(Moment),
  created_by: CreatedBy,
  created_at: Moment,
  answered_at: nullable(Moment),
  ended_at: nullable(Moment),
  recording: Type.Boolean({
    description:
      'Whether /recording has the message that was left on a voicemail: soon after the end of the call',
  }),
});

export const TelephonyVoicemailRecord = Type.Object({
  id: Type.String(),
  object: Type.Literal('telephony.voicemail'),
  number_id: nullable(Type.String()),
  call_id: Type.String({ description: 'The call: /v1/telephony/calls/{id}' }),
  from: Type.String(),
  to: Type.String(),
  status: Type.Enum(['transcribing', 'completed', 'failed']),
  error: nullable(
    Type.String({
      description: 'Of `failed`: a code, as `credit_exhausted`, or why it was not written down',
    }),
  ),
  duration_s: Type.Number(),
  recording: Type.Boolean({ description: 'Whether /recording has its sound' }),
  transcript: nullable(Type.String()),
  created_at: Moment,
  completed_at: nullable(Moment),
});

export const VOICEMAIL = {
  id: 'vmail_4fT9bQw2LmXc7RzK1hVd',
  object: 'telephony.voicemail' as const,
  number_id: 'num_4fT9bQw2LmXc7RzK1hVd',
  call_id: 'tcl_4fT9bQw2LmXc7RzK1hVd',
  from: '+15005550001',
  to: '+14155550100',
  status: 'completed' as const,
  error: null,
  duration_s: 6.4,
  recording: true,
  transcript: 'Hello, this is Alice. Please call me back about Tuesday.',
  created_at: 1_795_348_842_000,
  completed_at: 1_795_348_845_000,
};

const ANSWERED = {
  id: 'tcl_4fT9bQw2LmXc7RzK1hVd',
  object: 'telephony.call' as const,
  direction: 'outbound' as const,
  from: '+14155550100',
  to: '+15005550001',
  agent_id: 'agt_4fT9bQw2LmXc7RzK1hVd',
  campaign_id: null,
  end_reason: null,
  end_detail: null,
  answered_by: null,
  omni_call_id: null,
  variables: { name: 'Alice' },
  duration_s: 0,
  recording: false,
  billed_minutes: 0,
  quality: {},
  schedule_at: null,
  created_by: { kind: 'key' as const, id: 'key_4fT9bQw2LmXc7RzK1hVd' },
  created_at: 1_795_348_790_000,
  answered_at: 1_795_348_800_000,
  ended_at: null,
  state: 'answered' as const,
};
const GOOD = { frames: 2100, lost: 0, late: 0, concealed: null, jitter_ms: 1.2, clipped: 0 };

export const CALL_ANSWERED = ANSWERED;
const NOTHING = { frames: 0, lost: 0, late: 0, concealed: null, jitter_ms: 0, clipped: null };
export const CALL_ONE_WAY = {
  ...ANSWERED,
  quality: { received: NOTHING, sent: GOOD, mos: null, echo: null, one_way: true },
};
export const CALL_ENDED = {
  ...ANSWERED,
  state: 'ended' as const,
  end_reason: 'completed' as const,
  end_detail: 'agent_ended',
  omni_call_id: 'ocl_4fT9bQw2LmXc7RzK1hVd',
  duration_s: 42,
  billed_minutes: 1,
  quality: {
    received: GOOD,
    sent: { ...GOOD, lost: null, late: null, jitter_ms: null },
    mos: 4.4,
    echo: null,
    one_way: false,
  },
  ended_at: 1_795_348_842_000,
};

export const CampaignData = Type.Object({
  id: Type.String(),
  object: Type.Literal('telephony.campaign'),
  name: Type.String(),
  from: Type.String(),
  agent_id: Type.String(),
  state: Type.Literal('done'),
  targets: Type.Integer(),
  attempts: Type.Integer(),
  outcomes: Type.Record(Type.String(), Type.Integer(), {
    description: 'Targets, by how their last call ended',
  }),
  created_at: Type.Integer(),
  started_at: nullable(Type.Integer()),
  ended_at: Type.Integer(),
});

export const CAMPAIGN_DONE: Static<typeof CampaignData> = {
  id: 'camp_4fT9bQw2LmXc7RzK1hVd',
  object: 'telephony.campaign',
  name: 'Renewals in November',
  from: '+14155550100',
  agent_id: 'agt_4fT9bQw2LmXc7RzK1hVd',
  state: 'done',
  targets: 90,
  attempts: 104,
  outcomes: { completed: 61, no_answer: 21, machine: 8 },
  created_at: 1_795_340_000_000,
  started_at: 1_795_341_000_000,
  ended_at: 1_795_348_800_000,
};
