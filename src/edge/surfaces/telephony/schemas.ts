import { type Static, Type } from 'typebox';
import { CreatedBy, TelephonyCallRecord } from '../../../foundation/events/index.ts';
import { mergePatchOf } from '../../../foundation/platform/merge-patch.ts';
import { PageQuery } from '../../../foundation/platform/pages.ts';
import { Amd, CALL_STATES, NumberSettings, NumberSettingsChange } from '../../../telephony/dialling/index.ts';

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const closed = <T extends Parameters<typeof Type.Object>[0]>(fields: T) =>
  Type.Object(fields, { additionalProperties: false });
const listOf = <T extends Parameters<typeof Type.Array>[0]>(item: T) =>
  Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(item),
    next_cursor: nullable(Type.String()),
  });

export { CreatedBy };

export const PhoneNumber = Type.String({
  pattern: '^\\+[1-9][0-9]{6,14}$',
  description: 'E.164',
  examples: ['+15005550001'],
});
/** The loopback network offers this number, so that the examples work in sequence. */
export const OwnNumber = { ...PhoneNumber, examples: ['+14155550100'] };
const AgentId = Type.String({ pattern: '^agt_[0-9A-Za-z]{20}$' });
const Moment = Type.Integer({ description: 'Unix milliseconds' });
const NumberType = Type.Enum(['local', 'mobile', 'toll_free']);

export const AvailableQuery = Type.Object({
  country: Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166', examples: ['US'] }),
  number_type: Type.Optional(NumberType),
  capabilities: Type.Optional(Type.Enum(['voice', 'sms'])),
  pattern: Type.Optional(
    Type.String({
      pattern: '^[0-9*]{1,15}$',
      description: 'Digits found anywhere in the number; `*` is any',
    }),
  ),
  ...PageQuery.properties,
});
export const AvailableNumber = Type.Object({
  object: Type.Literal('telephony.available_number'),
  phone_number: Type.String(),
  country: Type.String(),
  number_type: NumberType,
  capabilities: Type.Array(Type.String()),
});
export const AvailableList = listOf(AvailableNumber);

export const NumberBody = closed({
  phone_number: OwnNumber,
  agent_id: Type.Optional(nullable(AgentId)),
});
export const NumberChangeBody = mergePatchOf({ agent_id: AgentId, settings: NumberSettingsChange });
export const NumberView = Type.Object({
  id: Type.String(),
  object: Type.Literal('telephony.number'),
  phone_number: Type.String(),
  country: Type.String(),
  number_type: Type.String(),
  capabilities: Type.Array(Type.String()),
  agent_id: nullable(Type.String()),
  carrier: Type.String(),
  status: Type.Enum(['active', 'pending_compliance', 'released'], {
    description:
      '`pending_compliance`: it is kept for you, and can be used once a compliance case with its `phone_number` was approved',
  }),
  settings: NumberSettings,
  created_by: CreatedBy,
  created_at: Moment,
  released_at: nullable(Moment),
});
export const NumberQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(Type.Enum(['active', 'pending_compliance', 'released'])),
});
export const NumberList = listOf(NumberView);
export const NumberParams = Type.Object({ number_id: Type.String({ maxLength: 256 }) });
export const Deleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('telephony.number'),
  deleted: Type.Literal(true),
});

export const Variables = Type.Record(
  Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }),
  Type.String({ maxLength: 500 }),
  { maxProperties: 50 },
);
export const CallFields = {
  amd: Type.Optional(nullable(Amd)),
  message: Type.Optional(
    nullable(
      Type.String({ minLength: 1, maxLength: 1000, description: 'Left on a voicemail, after its beep' }),
    ),
  ),
  max_duration_s: Type.Optional(Type.Integer({ minimum: 10, maximum: 14_400, default: 3600 })),
  webhook_url: Type.Optional(
    nullable(Type.String({ maxLength: 2048, description: 'Told of the answer and the end' })),
  ),
};
export const CallBody = closed({
  from: OwnNumber,
  to: Type.String({ minLength: 3, maxLength: 32, description: 'E.164' }),
  agent_id: AgentId,
  variables: Type.Optional(Variables),
  ...CallFields,
  redial: Type.Optional(
    nullable(
      closed({
        times: Type.Integer({ minimum: 1, maximum: 5 }),
        after_s: Type.Integer({ minimum: 60, maximum: 86_400 }),
      }),
    ),
  ),
  schedule_at: Type.Optional(Type.Integer({ minimum: 0, description: 'Unix milliseconds' })),
});
export type CallBody = Static<typeof CallBody>;

export const CallView = Type.Object({
  ...TelephonyCallRecord.properties,
  cost: Type.Object(
    {
      micros: Type.Integer({ description: 'Millionths of the unit of money' }),
      meters: Type.Record(Type.String(), Type.Integer(), { description: 'Of it, by meter' }),
    },
    {
      description:
        'What the call has cost, at list price, with the talk of its agent. It is written when each of them ends; units that a month has free are taken off its invoice alone',
    },
  ),
});
export const CallList = listOf(CallView);
export const CallQuery = Type.Object({
  ...PageQuery.properties,
  state: Type.Optional(Type.Enum([...CALL_STATES])),
  direction: Type.Optional(Type.Enum(['inbound', 'outbound'])),
  campaign_id: Type.Optional(Type.String({ maxLength: 64 })),
  omni_call_id: Type.Optional(Type.String({ maxLength: 64, description: 'The call of this talk' })),
});
export const CallParams = Type.Object({ call_id: Type.String({ maxLength: 256 }) });
export const TransferBody = closed({
  to: Type.String({
    minLength: 3,
    maxLength: 300,
    description: 'E.164, or the SIP address of a telephone of yours that is registered now',
  }),
  kind: Type.Enum(['warm', 'cold']),
  briefing: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: 'Spoken to who takes a warm transfer, before they accept with 1',
    }),
  ),
  three_way: Type.Optional(
    Type.Boolean({
      description:
        'Of a warm transfer: once it is accepted the agent talks with both, until the person sends it away with the key *',
    }),
  ),
  agent_listens: Type.Optional(
    Type.Boolean({
      description: 'With `three_way`: the agent says nothing, and its record has what the two say',
    }),
  ),
});
export const WhisperBody = closed({
  text: Type.String({ minLength: 1, maxLength: 1000, examples: ['Offer Tuesday at ten.'] }),
});
export const KeysBody = closed({
  digits: Type.String({
    pattern: '^[0-9A-D*#w]{1,64}$',
    examples: ['1w2'],
    description: '`w` waits half a second',
  }),
});
