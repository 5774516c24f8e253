import Type from 'typebox';
import { RecapRecord } from '../../../foundation/events/index.ts';
import { PageQuery } from '../../../foundation/platform/pages.ts';
import { METRICS, OUTCOMES } from '../../../products/recap/index.ts';

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const Url = nullable(Type.String({ maxLength: 2048 }));
const Role = Type.Enum(['agent', 'customer', 'unknown']);
const list = <T extends Parameters<typeof Type.Array>[0]>(item: T) =>
  Type.Object({ object: Type.Literal('list'), data: Type.Array(item), next_cursor: nullable(Type.String()) });

export const ConfigBody = Type.Object(
  { enabled: Type.Optional(Type.Boolean()), webhook_url: Type.Optional(Url) },
  closed,
);
export const Config = Type.Object({
  object: Type.Literal('recap.config'),
  enabled: Type.Boolean(),
  webhook_url: Url,
});
const Field = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,62}$' }),
    type: Type.Enum(['string', 'number', 'boolean', 'date', 'enum']),
    description: Type.String({ minLength: 1, maxLength: 500 }),
    values: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 50 }),
    ),
  },
  closed,
);
export const CrmBody = Type.Object({ fields: Type.Array(Field, { maxItems: 100 }) }, closed);
export const Crm = Type.Object({ object: Type.Literal('recap.crm_config'), fields: Type.Array(Field) });

export const Call = RecapRecord;
export const CallList = list(Call);
export const CallDeleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('recap.call'),
  deleted: Type.Literal(true),
});
export const CallQuery = Type.Object({
  ...PageQuery.properties,
  agent_id: Type.Optional(Type.String({ maxLength: 64 })),
  external_id: Type.Optional(Type.String({ maxLength: 256 })),
  source_id: Type.Optional(Type.String({ maxLength: 64 })),
  outcome: Type.Optional(Type.Enum([...OUTCOMES])),
  q: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Words to search for in the conversation.' }),
  ),
});
export const Params = Type.Object({ id: Type.String({ maxLength: 256 }) });
export const SpeakersBody = Type.Object(
  {
    speakers: Type.Array(Type.Object({ label: Type.String({ maxLength: 64 }), role: Role }, closed), {
      minItems: 1,
      maxItems: 20,
    }),
  },
  closed,
);

const Criterion = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z][a-z0-9_-]{0,62}$' }),
    text: Type.String({ minLength: 1, maxLength: 500 }),
    kind: Type.Enum(['yes_no', 'scale']),
    by: Type.Enum(['rule', 'metric', 'model']),
    rule: Type.Optional(
      Type.String({
        maxLength: 128,
        description: 'A Trace rule as PACK/rule-id. The criterion is met if the rule finds nothing.',
        examples: ['brand-voice/no-guarantees'],
      }),
    ),
    metric: Type.Optional(Type.Enum([...METRICS])),
    least: Type.Optional(
      Type.Number({ description: 'The minimum of a metric, or of a scale that a model rates (default 1).' }),
    ),
    most: Type.Optional(
      Type.Number({ description: 'The maximum of a metric, or of a scale that a model rates (default 5).' }),
    ),
  },
  closed,
);
export const ScorecardBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    criteria: Type.Array(Criterion, { minItems: 1, maxItems: 50 }),
  },
  closed,
);
export const Scorecard = Type.Object({
  id: Type.String(),
  object: Type.Literal('recap.scorecard'),
  name: Type.String(),
  criteria: Type.Array(Criterion),
  created_at: Type.Integer(),
});
export const ScorecardList = list(Scorecard);
export const Trends = Type.Object({
  object: Type.Literal('recap.trends'),
  data: Type.Array(
    Type.Object({
      criterion_id: Type.String(),
      agent_id: nullable(Type.String()),
      agent_version: nullable(Type.String()),
      day: Type.String(),
      calls: Type.Integer(),
      mean: nullable(Type.Number()),
    }),
  ),
});
export const Deleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('recap.scorecard'),
  deleted: Type.Literal(true),
});
