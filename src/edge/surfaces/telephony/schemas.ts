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
  description: 'Phone number in E.164 format.',
  examples: ['+15005550001'],
});
/** The loopback network offers this number, so that the examples work in sequence. */
export const OwnNumber = { ...PhoneNumber, examples: ['+14155550100'] };
const AgentId = Type.String({ pattern: '^agt_[0-9A-Za-z]{20}$' });
const Moment = Type.Integer({ description: 'Unix time in milliseconds.' });
const NumberType = Type.Enum(['local', 'mobile', 'toll_free']);

export const AvailableQuery = Type.Object({
  country: Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166.', examples: ['US'] }),
  number_type: Type.Optional(NumberType),
  capabilities: Type.Optional(Type.Enum(['voice', 'sms'])),
  pattern: Type.Optional(
    Type.String({
      pattern: '^[0-9*]{1,15}$',
      description: 'Digits that occur anywhere in the number; `*` matches any digit.',
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
      '`pending_compliance` means that the number is reserved for you and can be used once a compliance case with its `phone_number` is approved.',
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
      Type.String({
        minLength: 1,
        maxLength: 1000,
        description: 'The message that is left on a voicemail after its beep.',
      }),
    ),
  ),
  max_duration_s: Type.Optional(Type.Integer({ minimum: 10, maximum: 14_400, default: 3600 })),
  webhook_url: Type.Optional(
    nullable(
      Type.String({
        maxLength: 2048,
        description: 'The URL that receives the events of the call’s answer and end.',
      }),
    ),
  ),
};
export const CallBody = closed({
  from: OwnNumber,
  to: Type.String({ minLength: 3, maxLength: 32, description: 'Phone number in E.164 format.' }),
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
  schedule_at: Type.Optional(Type.Integer({ minimum: 0, description: 'Unix time in milliseconds.' })),
});
export type CallBody = Static<typeof CallBody>;

export const CallView = Type.Object({
  ...TelephonyCallRecord.properties,
  cost: Type.Object(
    {
      micros: Type.Integer({ description: 'The total in millionths of the currency unit.' }),
      meters: Type.Record(Type.String(), Type.Integer(), { description: 'The total by meter.' }),
    },
    {
      description:
        'The cost of the call at list price, including its agent session. Each part is added when it ends. Free monthly units are deducted only on the invoice.',
    },
  ),
});
export const CallList = listOf(CallView);
export const CallQuery = Type.Object({
  ...PageQuery.properties,
  state: Type.Optional(Type.Enum([...CALL_STATES])),
  direction: Type.Optional(Type.Enum(['inbound', 'outbound'])),
  campaign_id: Type.Optional(Type.String({ maxLength: 64 })),
  omni_call_id: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'The ID of the Omni call; returns the telephone call that carried it.',
    }),
  ),
});
export const CallParams = Type.Object({ call_id: Type.String({ maxLength: 256 }) });
export const TransferBody = closed({
  to: Type.String({
    minLength: 3,
    maxLength: 300,
    description: 'A phone number in E.164 format, or the SIP address of one of your registered telephones.',
  }),
  kind: Type.Enum(['warm', 'cold']),
  briefing: Type.Optional(
    Type.String({
      maxLength: 1000,
      description:
        'Text that is spoken to the recipient of a warm transfer before they accept it by pressing 1.',
    }),
  ),
  three_way: Type.Optional(
    Type.Boolean({
      description:
        'For a warm transfer: the agent stays on the call with both parties after the transfer was accepted, until the recipient presses * to remove it.',
    }),
  ),
  agent_listens: Type.Optional(
    Type.Boolean({
      description:
        'With `three_way`: the agent is silent, and its transcript includes what both parties say.',
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
    description: 'The digits to send; `w` waits for half a second.',
  }),
});
