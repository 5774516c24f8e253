import Type, { type Static } from 'typebox';
import { nullable } from '../define-event.ts';

export const MsgappCallData = Type.Object({
  id: Type.String(),
  object: Type.Literal('msgapp.call'),
  number_id: Type.String(),
  direction: Type.Enum(['inbound', 'outbound']),
  from: Type.String(),
  to: Type.String(),
  agent_id: nullable(Type.String()),
  omni_call_id: nullable(Type.String()),
  state: Type.Literal('ended'),
  end_reason: Type.Enum(['completed', 'rejected', 'no_answer', 'canceled', 'failed', 'refused']),
  error: nullable(Type.String()),
  created_at: Type.Integer(),
  answered_at: nullable(Type.Integer()),
  ended_at: Type.Integer(),
});

export const MSGAPP_CALL_ENDED: Static<typeof MsgappCallData> = {
  id: 'wcall_4fT9bQw2LmXc7RzK1hVd',
  object: 'msgapp.call',
  number_id: 'wan_4fT9bQw2LmXc7RzK1hVd',
  direction: 'inbound',
  from: '+4915112345678',
  to: '+14155550100',
  agent_id: 'agt_4fT9bQw2LmXc7RzK1hVd',
  omni_call_id: 'ocl_4fT9bQw2LmXc7RzK1hVd',
  state: 'ended',
  end_reason: 'completed',
  error: null,
  created_at: 1_795_348_790_000,
  answered_at: 1_795_348_795_000,
  ended_at: 1_795_348_842_000,
};
