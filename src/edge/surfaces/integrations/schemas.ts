import Type, { type Static } from 'typebox';
import { CreatedBy, EVENT_TYPES } from '../../../foundation/events/index.ts';
import { mergePatchOf } from '../../../foundation/platform/merge-patch.ts';
import { EVENT_VERSIONS, KINDS, NEWEST } from '../../../products/integrations/index.ts';

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const list = <T extends Parameters<typeof Type.Array>[0]>(item: T) =>
  Type.Object({ object: Type.Literal('list'), data: Type.Array(item), next_cursor: nullable(Type.String()) });

export const EventName = Type.Enum([...EVENT_TYPES]);
const Envelope = Type.Object({
  id: Type.String(),
  type: EventName,
  created_at: Type.Integer(),
  data: Type.Record(Type.String(), Type.Unknown()),
});

export const EventList = list(
  Type.Object({
    type: EventName,
    version: Type.Integer({
      description: 'The schema version. It increases when a field is removed or changes its meaning.',
    }),
    description: Type.String(),
    schema: Type.Record(Type.String(), Type.Unknown(), { description: 'The JSON Schema of the body.' }),
    sample: Envelope,
  }),
);

export const ProjectQuery = Type.Object({
  project_id: Type.Optional(
    Type.String({ maxLength: 64, description: 'Defaults to the user’s first project.' }),
  ),
  environment: Type.Optional(Type.Enum(['live', 'sandbox'])),
});
export type ProjectQuery = Static<typeof ProjectQuery>;

const Scalar = Type.Union([Type.String({ maxLength: 500 }), Type.Number(), Type.Boolean(), Type.Null()]);
const Filters = Type.Partial(
  Type.Record(
    EventName,
    Type.Record(
      Type.String({ pattern: '^[A-Za-z0-9_.]{1,200}$' }),
      Type.Union([Scalar, Type.Array(Scalar, { minItems: 1, maxItems: 50 })]),
      { minProperties: 1, maxProperties: 20 },
    ),
  ),
  {
    description:
      'Filters per event type: data fields mapped to the value, or list of values, that an event must have to be delivered.',
  },
);
const Name = nullable(Type.String({ minLength: 1, maxLength: 200 }));
const Events = Type.Array(EventName, { minItems: 1, maxItems: EVENT_TYPES.length, uniqueItems: true });
const Version = Type.Enum([...EVENT_VERSIONS], { default: NEWEST });
const Kind = Type.Enum([...KINDS], { default: 'webhook' });

export const DestinationBody = Type.Object(
  {
    kind: Type.Optional(Kind),
    name: Type.Optional(Name),
    url: Type.Optional({
      ...nullable(
        Type.String({
          maxLength: 2048,
          description:
            'The URL of the destination. Not used for `email`; for `s3`, only needed for stores other than Amazon S3.',
        }),
      ),
      examples: ['https://example.com/hook'],
    }),
    events: Events,
    filters: Type.Optional(Filters),
    event_version: Type.Optional(Version),
    settings: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        maxProperties: 20,
        description:
          'Settings by kind. `slack`: `text`. `crm`: `method`, `key`, `mapping`, `headers`. `s3`: `bucket`, `region`, `prefix`, `access_key_id`, `secret_access_key`. `email`: `to`, `subject`, `text`.',
      }),
    ),
  },
  closed,
);
export const DestinationPatch = mergePatchOf(
  {
    name: Name,
    url: Type.String({ maxLength: 2048, description: 'The new URL. It also applies to pending deliveries.' }),
    settings: Type.Record(Type.String(), Type.Unknown(), {
      maxProperties: 20,
      description: 'The complete settings, including secrets. Omitted settings are removed.',
    }),
    events: Events,
    filters: Filters,
    status: Type.Enum(['active', 'paused']),
  },
  ['events', 'status'],
  { minProperties: 1, examples: [{ status: 'paused' }] },
);
export const Destination = Type.Object({
  id: Type.String(),
  object: Type.Literal('integration.destination'),
  kind: Kind,
  name: nullable(Type.String()),
  url: Type.String(),
  events: Type.Array(EventName),
  filters: Type.Record(Type.String(), Type.Unknown()),
  event_version: Version,
  settings: Type.Record(Type.String(), Type.Unknown(), { description: 'The settings without secrets.' }),
  status: Type.Enum(['active', 'paused', 'gone', 'unconfirmed'], {
    description:
      '`gone`: the receiver responded with 410; set the status to `active` to resume. `unconfirmed`: no recipient has confirmed their address; set the status to `active` to send the confirmation emails again.',
  }),
  unconfirmed: Type.Array(Type.String(), {
    description: 'Addresses in `settings.to` that have not been confirmed. They receive no events.',
  }),
  created_by: CreatedBy,
  created_at: Type.Integer(),
  updated_at: Type.Integer(),
});
export const DestinationList = list(Destination);
export const Params = Type.Object({ id: Type.String({ maxLength: 256 }) });
export const DestinationDeleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('integration.destination'),
  deleted: Type.Literal(true),
});
export const TestBody = Type.Object(
  {
    event: Type.Optional({
      ...EventName,
      description: 'The event whose sample is sent. Defaults to `integration.test`.',
    }),
  },
  closed,
);
export const TestSent = Type.Object({
  object: Type.Literal('integration.test'),
  destination_id: Type.String(),
  event_id: Type.String({
    description: 'The ID of the event, to look up its deliveries in GET /v1/webhooks/deliveries.',
  }),
});

export const HookBody = Type.Object(
  {
    target_url: Type.String({ minLength: 1, maxLength: 2048 }),
    event: EventName,
    filters: Type.Optional(Filters),
  },
  closed,
);
export const Hook = Type.Object({
  id: Type.String({ pattern: '^hook_', examples: ['hook_4fT9bQw2LmXc7RzK1hVd'] }),
  object: Type.Literal('integration.hook'),
  target_url: Type.String(),
  event: EventName,
  created_by: CreatedBy,
  created_at: Type.Integer(),
});
export const HookList = list(Hook);
export const HookDeleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('integration.hook'),
  deleted: Type.Literal(true),
});
export const SampleParams = Type.Object({ event: Type.String({ maxLength: 256 }) });
export const SampleList = list(Envelope);
