import Type, { type Static } from 'typebox';
import { PageQuery } from '../../../foundation/platform/pages.ts';

export const SigningSecret = Type.Object({
  secret: Type.String({ description: 'The signing secret. It is returned only in this response.' }),
  created_at: Type.Integer(),
});

const Moment = Type.Union([Type.Integer(), Type.Null()]);

const DeliveryStatus = Type.Enum(['pending', 'delivered', 'dead']);

export const DeliveryQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(DeliveryStatus),
});
export type DeliveryQuery = Static<typeof DeliveryQuery>;

export const Delivery = Type.Object({
  id: Type.String(),
  object: Type.Literal('webhook.delivery'),
  event_id: Type.String(),
  event_type: Type.String(),
  url: Type.String(),
  status: DeliveryStatus,
  attempts: Type.Integer(),
  next_attempt_at: Moment,
  last_attempt_at: Moment,
  response_status: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The HTTP status of the last attempt.',
  }),
  error: Type.Union([Type.String(), Type.Null()], { description: 'Why the last attempt failed.' }),
  created_at: Type.Integer(),
  delivered_at: Moment,
});
export type Delivery = Static<typeof Delivery>;

export const DeliveryPage = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Delivery),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});
