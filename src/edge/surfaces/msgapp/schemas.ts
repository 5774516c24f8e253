import { type Static, Type } from 'typebox';
import { CreatedBy } from '../../../foundation/events/index.ts';
import { PageQuery } from '../../../foundation/platform/pages.ts';
import type { MsgappCallRow, MsgappNumberRow } from '../../../foundation/storage/tables/msgapp.ts';

const Nullable = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const Secret = Type.String({ minLength: 1, maxLength: 2048 });
const ProviderId = Type.String({ pattern: '^[A-Za-z0-9_.:-]{1,64}$', examples: ['102290129340398'] });
export const PhoneNumber = Type.String({
  pattern: '^\\+[1-9][0-9]{6,14}$',
  description: 'Phone number in E.164 format.',
  examples: ['+14155550100'],
});

export const RegisterBody = Type.Object({
  waba_id: ProviderId,
  phone_number_id: Type.String({
    pattern: '^[A-Za-z0-9_.:-]{1,64}$',
    description: 'The provider’s ID of the number, which its webhooks contain.',
    examples: ['106540352242922'],
  }),
  phone_number: PhoneNumber,
  app_id: ProviderId,
  access_token: Secret,
  app_secret: Secret,
  verify_token: Secret,
});
export type RegisterBody = Static<typeof RegisterBody>;

const NumberStatus = Type.Enum(['active', 'released']);

export const NumberQuery = Type.Object({ ...PageQuery.properties, status: Type.Optional(NumberStatus) });
export type NumberQuery = Static<typeof NumberQuery>;

export const Number_ = Type.Object({
  id: Type.String(),
  object: Type.Literal('msgapp.number'),
  waba_id: Type.String(),
  phone_number_id: Type.String(),
  phone_number: Type.String(),
  app_id: Type.String(),
  agent_id: Nullable(Type.String()),
  calling_enabled: Type.Boolean(),
  calling_settings: Type.Record(Type.String(), Type.Unknown(), {
    description: 'The calling settings that were last sent to the provider.',
  }),
  status: NumberStatus,
  created_by: CreatedBy,
  created_at: Type.Integer(),
  updated_at: Type.Integer(),
  released_at: Nullable(Type.Integer()),
});

export const showNumber = (row: MsgappNumberRow): Static<typeof Number_> => ({
  id: row.id,
  object: 'msgapp.number',
  waba_id: row.waba_id,
  phone_number_id: row.phone_number_id,
  phone_number: row.phone_number,
  app_id: row.app_id,
  agent_id: row.agent_id,
  calling_enabled: row.calling_enabled === 1,
  calling_settings: JSON.parse(row.calling_settings) as Record<string, unknown>,
  status: row.status,
  created_by: { kind: 'key', id: row.key_id },
  created_at: Number(row.created_at),
  updated_at: Number(row.updated_at),
  released_at: row.released_at === null ? null : Number(row.released_at),
});

const OnOff = Type.Enum(['ENABLED', 'DISABLED']);
const Time = Type.String({ pattern: '^([01][0-9]|2[0-3])[0-5][0-9]$', examples: ['0900'] });

export const CallingBody = Type.Object({
  status: OnOff,
  call_icon_visibility: Type.Optional(Type.Enum(['DEFAULT', 'DISABLE_ALL'])),
  callback_permission_status: Type.Optional(OnOff),
  sip: Type.Optional(
    Type.Object(
      {
        status: OnOff,
        servers: Type.Optional(
          Type.Array(
            Type.Object({
              hostname: Type.String({ minLength: 1, maxLength: 253, examples: ['sip.example.com'] }),
              port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
              request_uri_user_params: Type.Optional(
                Type.Record(Type.String({ maxLength: 128 }), Type.String({ maxLength: 128 }), {
                  maxProperties: 16,
                }),
              ),
            }),
            { maxItems: 8 },
          ),
        ),
      },
      {
        description:
          'SIP settings. If enabled, the provider sends calls to your own SIP servers, and agents of this server do not receive them.',
      },
    ),
  ),
  call_hours: Type.Optional(
    Type.Object({
      status: OnOff,
      timezone_id: Type.String({ maxLength: 64, examples: ['Europe/Madrid'] }),
      weekly_operating_hours: Type.Array(
        Type.Object({
          day_of_week: Type.Enum([
            'MONDAY',
            'TUESDAY',
            'WEDNESDAY',
            'THURSDAY',
            'FRIDAY',
            'SATURDAY',
            'SUNDAY',
          ]),
          open_time: Time,
          close_time: Time,
        }),
        { maxItems: 28 },
      ),
      holiday_schedule: Type.Optional(
        Type.Array(
          Type.Object({
            date: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', examples: ['2026-12-24'] }),
            start_time: Time,
            end_time: Time,
          }),
          { maxItems: 50 },
        ),
      ),
    }),
  ),
});
export type CallingBody = Static<typeof CallingBody>;

export const AssignBody = Type.Object({
  agent_id: Type.Union([Type.String({ maxLength: 128 }), Type.Null()], {
    description: 'The agent that answers calls. null means that calls are not answered.',
  }),
});
export type AssignBody = Static<typeof AssignBody>;

export const PermissionBody = Type.Object({
  to: PhoneNumber,
  text: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1024, description: 'The text that the person sees.' }),
  ),
});
export type PermissionBody = Static<typeof PermissionBody>;

export const PermissionQuery = Type.Object({ to: PhoneNumber });
export type PermissionQuery = Static<typeof PermissionQuery>;

export const PermissionView = Type.Object({
  object: Type.Literal('msgapp.call_permission'),
  number_id: Type.String(),
  to: Type.String(),
  status: Type.Enum(['none', 'asked', 'granted', 'declined', 'revoked', 'expired']),
  until: Nullable(
    Type.Integer({
      description:
        'When the permission expires. null for a granted permission means that it does not expire.',
    }),
  ),
});

export const CallBody = Type.Object({ number_id: Type.String({ maxLength: 64 }), to: PhoneNumber });
export type CallBody = Static<typeof CallBody>;

const CallState = Type.Enum(['ringing', 'answered', 'ended']);

export const CallQuery = Type.Object({ ...PageQuery.properties, state: Type.Optional(CallState) });
export type CallQuery = Static<typeof CallQuery>;

export const Call = Type.Object({
  id: Type.String(),
  object: Type.Literal('msgapp.call'),
  number_id: Type.String(),
  provider_call_id: Type.String({ description: 'The provider’s ID of the call.' }),
  direction: Type.Enum(['inbound', 'outbound']),
  from: Type.String(),
  to: Type.String(),
  agent_id: Nullable(Type.String()),
  omni_call_id: Nullable(Type.String()),
  state: CallState,
  end_reason: Type.Union([
    Type.Enum(['completed', 'rejected', 'no_answer', 'canceled', 'failed', 'refused']),
    Type.Null(),
  ]),
  error: Nullable(Type.String()),
  created_at: Type.Integer(),
  answered_at: Nullable(Type.Integer()),
  ended_at: Nullable(Type.Integer()),
});

const time = (at: number | null): number | null => (at === null ? null : Number(at));

export const showCall = (row: MsgappCallRow): Static<typeof Call> => ({
  id: row.id,
  object: 'msgapp.call',
  number_id: row.number_id,
  provider_call_id: row.provider_call_id,
  direction: row.direction,
  from: row.from_number,
  to: row.to_number,
  agent_id: row.agent_id,
  omni_call_id: row.omni_call_id,
  state: row.state,
  end_reason: row.end_reason as Static<typeof Call>['end_reason'],
  error: row.error,
  created_at: Number(row.created_at),
  answered_at: time(row.answered_at),
  ended_at: time(row.ended_at),
});
