import Type, { type Static } from 'typebox';
import { nullable } from '../define-event.ts';

const Moment = Type.Integer({ description: 'Unix time in milliseconds.' });
const Direction = Type.Object({
  frames: nullable(Type.Integer()),
  lost: nullable(Type.Integer()),
  late: nullable(Type.Integer()),
  concealed: nullable(Type.Integer()),
  jitter_ms: nullable(Type.Number()),
  clipped: nullable(Type.Number({ description: 'The fraction of clipped samples, 0 to 1.' })),
});
const Echo = Type.Object(
  {
    delay_ms: Type.Integer(),
    level_db: Type.Number({
      description: 'The level relative to the sent audio; negative values are quieter.',
    }),
  },
  { description: 'The echo of the sent audio from the other party.' },
);

export const CreatedBy = nullable(
  Type.Object(
    { kind: Type.Enum(['key', 'user', 'campaign']), id: Type.String() },
    { title: 'CreatedBy', description: 'The creator.' },
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
  answered_by: nullable(Type.String({ description: 'The AMD verdict; null if AMD was not requested.' })),
  omni_call_id: nullable(Type.String({ description: 'The ID of the Omni call: /v1/omni/calls/{id}.' })),
  variables: Type.Record(Type.String(), Type.String()),
  duration_s: Type.Number({ description: 'Seconds from the answer to the end of the call.' }),
  billed_minutes: Type.Integer(),
  quality: Type.Object({
    received: Type.Optional(Direction),
    sent: Type.Optional(Direction),
    mos: Type.Optional(
      nullable(Type.Number({ description: 'The estimated mean opinion score (MOS), from 1 to 4.5.' })),
    ),
    echo: Type.Optional(nullable(Echo)),
    one_way: Type.Optional(
      Type.Boolean({ description: 'Whether no audio was received from the other party.' }),
    ),
  }),
  schedule_at: nullable(Moment),
  created_by: CreatedBy,
  created_at: Moment,
  answered_at: nullable(Moment),
  ended_at: nullable(Moment),
  recording: Type.Boolean({
    description:
      'Whether `/recording` returns the message that was left on a voicemail. It is available shortly after the call ends.',
  }),
});

export const TelephonyVoicemailRecord = Type.Object({
  id: Type.String(),
  object: Type.Literal('telephony.voicemail'),
  number_id: nullable(Type.String()),
  call_id: Type.String({ description: 'The ID of the call: /v1/telephony/calls/{id}.' }),
  from: Type.String(),
  to: Type.String(),
  status: Type.Enum(['transcribing', 'completed', 'failed']),
  error: nullable(
    Type.String({
      description:
        'For `failed`: an error code such as `credit_exhausted`, or the reason why the message was not transcribed.',
    }),
  ),
  duration_s: Type.Number(),
  recording: Type.Boolean({ description: 'Whether `/recording` returns the audio of the message.' }),
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
    description: 'The number of targets by the outcome of their last call.',
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
