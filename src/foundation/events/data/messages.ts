import Type, { type Static } from 'typebox';
import { nullable } from '../define-event.ts';

const Moment = Type.String({
  description: 'Date and time in ISO 8601 format.',
  examples: ['2026-11-22T09:00:00.000Z'],
});

export const MessageRecord = Type.Object({
  id: Type.String({ examples: ['msg_4fT9bQw2LmXc7RzK1hVd'] }),
  object: Type.Literal('message'),
  direction: Type.Enum(['inbound', 'outbound']),
  from: Type.String(),
  to: Type.String(),
  body: Type.String(),
  media_urls: Type.Array(Type.String()),
  campaign_id: nullable(Type.String()),
  status: Type.Enum(['queued', 'sent', 'delivered', 'failed', 'received']),
  failure_code: nullable(
    Type.Enum(
      [
        'opted_out',
        'unknown_number',
        'unreachable',
        'filtered',
        'carrier_refused',
        'carrier_unavailable',
        'media_unreadable',
      ],
      { description: 'Why the message was not delivered.' },
    ),
  ),
  created_at: Moment,
  updated_at: Moment,
});

export const MESSAGE_DELIVERED: Static<typeof MessageRecord> = {
  id: 'msg_4fT9bQw2LmXc7RzK1hVd',
  object: 'message',
  direction: 'outbound',
  from: '+14155550100',
  to: '+15005550001',
  body: 'Your table is booked for seven.',
  media_urls: [],
  campaign_id: null,
  status: 'delivered',
  failure_code: null,
  created_at: '2026-11-22T09:00:00.000Z',
  updated_at: '2026-11-22T09:00:01.000Z',
};

export const MESSAGE_FAILED: Static<typeof MessageRecord> = {
  ...MESSAGE_DELIVERED,
  status: 'failed',
  failure_code: 'unreachable',
};

export const MESSAGE_RECEIVED: Static<typeof MessageRecord> = {
  ...MESSAGE_DELIVERED,
  direction: 'inbound',
  from: '+15005550001',
  to: '+14155550100',
  body: 'Thank you!',
  status: 'received',
};

export const MessageHandOverRecord = Type.Object({
  id: Type.String({ examples: ['mho_4fT9bQw2LmXc7RzK1hVd'] }),
  object: Type.Literal('message.hand_over'),
  number: Type.String({ description: 'Your phone number.' }),
  person: Type.String({ description: 'The phone number of the other person.' }),
  agent_id: nullable(
    Type.String({
      description: 'The agent that handed the conversation over; null if a person took it over.',
    }),
  ),
  to: nullable(
    Type.String({ description: 'The person or department that should take over; null if none was named.' }),
  ),
  summary: nullable(Type.String({ description: 'What the person who takes over should know.' })),
  message_id: nullable(
    Type.String({ description: 'The message to which the agent responded with the handover.' }),
  ),
  created_at: Moment,
});

export const HANDED_OVER: Static<typeof MessageHandOverRecord> = {
  id: 'mho_4fT9bQw2LmXc7RzK1hVd',
  object: 'message.hand_over',
  number: '+14155550100',
  person: '+15005550001',
  agent_id: 'agt_4fT9bQw2LmXc7RzK1hVd',
  to: 'billing',
  summary: 'Was charged twice for order 4711.',
  message_id: 'msg_4fT9bQw2LmXc7RzK1hVd',
  created_at: '2026-11-22T09:00:02.000Z',
};
