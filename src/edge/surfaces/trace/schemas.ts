import Type from 'typebox';
import {
  interactionHead,
  TraceInteraction,
  TraceResult,
  TraceUnjudged,
  traceEvidence,
} from '../../../foundation/events/index.ts';
import { PageQuery } from '../../../foundation/platform/pages.ts';
import { SEVERITIES, STATUSES } from '../../../products/trace/index.ts';

export const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
export const closed = { additionalProperties: false } as const;
export const Id = Type.String({ maxLength: 64 });
export const Phone = Type.String({
  minLength: 3,
  maxLength: 32,
  description: 'Phone number in E.164 format, such as `+12125550123`.',
});
const HourMinute = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' });
export const Severity = Type.Enum([...SEVERITIES]);
export const Status = Type.Enum([...STATUSES]);
export const list = <T extends Parameters<typeof Type.Array>[0]>(item: T) =>
  Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(item),
    next_cursor: nullable(Type.String()),
  });

export const ChosenPack = Type.Object(
  {
    id: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The ID of a version (`tpack_…`), or a `pack_id` for its newest active version.',
    }),
    severity: Type.Optional(Severity),
  },
  closed,
);

const Gate = Type.Object(
  {
    require_consent: Type.Boolean(),
    quiet_hours: nullable(Type.Object({ from: HourMinute, to: HourMinute }, closed)),
    attempts: nullable(
      Type.Object(
        {
          most: Type.Integer({ minimum: 1, maximum: 1000 }),
          window_hours: Type.Integer({ minimum: 1, maximum: 8760 }),
        },
        closed,
      ),
    ),
  },
  closed,
);
const settings = {
  enabled: Type.Boolean({
    description: 'Whether calls and transcription jobs are evaluated when they have ended.',
  }),
  rule_packs: Type.Array(ChosenPack, { maxItems: 20 }),
  actions: Type.Object(
    {
      on_violation: Type.Enum(['flag', 'block', 'handoff']),
      safe_line: Type.Optional(nullable(Type.String({ maxLength: 500 }))),
    },
    closed,
  ),
  redact_records: Type.Boolean(),
  webhook_url: nullable(Type.String({ maxLength: 2048 })),
  gate: Gate,
};
export const ConfigQuery = Type.Object({ agent_id: Type.Optional(Id) });
export const ConfigBody = Type.Object(
  {
    agent_id: Type.Optional(nullable(Id)),
    enabled: Type.Optional(settings.enabled),
    rule_packs: Type.Optional(settings.rule_packs),
    actions: Type.Optional(settings.actions),
    redact_records: Type.Optional(settings.redact_records),
    webhook_url: Type.Optional(settings.webhook_url),
    gate: Type.Optional(Gate),
  },
  closed,
);
export const Config = Type.Object({
  object: Type.Literal('trace.config'),
  agent_id: nullable(Type.String()),
  ...settings,
});

export const Pack = Type.Object({
  id: Type.String(),
  object: Type.Literal('trace.rule_pack'),
  pack_id: Type.String(),
  version: Type.String(),
  builtin: Type.Boolean(),
  jurisdiction: Type.String(),
  legal_status: Type.String(),
  etag: Type.String(),
  status: Type.Enum(['active', 'retired']),
  created_at: Type.Integer(),
  spec: Type.Object({}, { additionalProperties: true }),
});
export const PackSchema = Type.Object({}, { additionalProperties: true });
export const PackList = list(Pack);
const EXAMPLE_PACK = {
  pack_id: 'house',
  version: '1.0.0',
  title: 'House rules',
  jurisdiction: 'none',
  legal_status: 'house rules',
  rules: [
    {
      id: 'no-guarantees',
      title: 'Nobody guarantees anything',
      kind: 'phrase',
      severity: 'low',
      phrases: { en: ['I guarantee it'] },
      source: { title: 'Handbook, page 3', date: '2026-11-22' },
      examples: [{ turns: [{ agent: 'I guarantee it.' }], expect: 'hit' }],
    },
  ],
};
const spec = {
  spec: Type.Optional(
    Type.Object(
      {},
      { additionalProperties: true, description: 'The rule pack as JSON.', examples: [EXAMPLE_PACK] },
    ),
  ),
  yaml: Type.Optional(
    Type.String({ maxLength: 500_000, description: 'The rule pack as a string in YAML or JSON.' }),
  ),
};
export const PackBody = Type.Object(spec, closed);
export const PackParams = Type.Object({ id: Type.String({ maxLength: 256 }) });
export const PackDeleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('trace.rule_pack'),
  deleted: Type.Literal(true),
});
export const PackStatusBody = Type.Object({ status: Type.Enum(['active', 'retired']) }, closed);
export const DryRunBody = Type.Object(
  {
    ...spec,
    id: Type.Optional(Type.String({ maxLength: 64, description: 'The ID of an existing rule pack.' })),
    interactions: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 100 })),
    last: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description: 'Test this many of the latest conversations. Defaults to 20.',
      }),
    ),
  },
  closed,
);
const Trial = Type.Object({
  rule_id: Type.String(),
  example: Type.Integer(),
  expected: Type.String(),
  got: Type.String(),
  quote: nullable(Type.String()),
  passed: Type.Boolean(),
});
export const DryRun = Type.Object({
  object: Type.Literal('trace.dry_run'),
  pack_id: Type.String(),
  version: Type.String(),
  examples: Type.Array(Trial),
  interactions: Type.Array(
    Type.Object({
      id: Type.String(),
      verdict: Type.String(),
      results: Type.Array(
        Type.Object({ rule_id: Type.String(), outcome: Type.String(), severity: Severity, ...traceEvidence }),
      ),
      unjudged: Type.Array(TraceUnjudged),
    }),
  ),
});

export const Result = TraceResult;
export const ResultList = list(Result);
export const ResultQuery = Type.Object({
  ...PageQuery.properties,
  pack_id: Type.Optional(Id),
  rule_id: Type.Optional(Id),
  severity: Type.Optional(Severity),
  status: Type.Optional(Status),
  agent_id: Type.Optional(Id),
  interaction_id: Type.Optional(Id),
});
export const MoveBody = Type.Object(
  { status: Status, reason: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 1000 }))) },
  closed,
);

export const Interaction = TraceInteraction;
export const InteractionList = list(Type.Object(interactionHead));
export const InteractionQuery = Type.Object({
  ...PageQuery.properties,
  verdict: Type.Optional(interactionHead.verdict),
  agent_id: Type.Optional(Id),
  source_id: Type.Optional(Id),
});
const Role = Type.Enum(['agent', 'customer', 'unknown']);
const Turn = Type.Object(
  {
    speaker: Role,
    text: Type.String({ maxLength: 20_000 }),
    start_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 1e9 })),
    end_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 1e9 })),
    words: Type.Optional(
      Type.Array(
        Type.Object(
          {
            word: Type.String({ maxLength: 200 }),
            start: Type.Number({ minimum: 0, maximum: 1e6, description: 'The start in seconds.' }),
            end: Type.Number({ minimum: 0, maximum: 1e6 }),
            confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
          },
          closed,
        ),
        { maxItems: 20_000 },
      ),
    ),
  },
  closed,
);
export const Transcript = Type.Object(
  {
    language: Type.Optional(nullable(Type.Enum(['en', 'fr', 'es', 'de', 'hi', 'it', 'pt', 'nl']))),
    agent_id: Type.Optional(nullable(Id)),
    agent_version: Type.Optional(nullable(Type.String({ maxLength: 64 }))),
    external_id: Type.Optional(nullable(Type.String({ maxLength: 256 }))),
    customer_number: Type.Optional(nullable(Phone)),
    direction: Type.Optional(nullable(Type.Enum(['inbound', 'outbound']))),
    started_at: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 1e14 }))),
    recorded_from_ms: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 1e9 }))),
    knowledge: Type.Optional(Type.Array(Type.String({ maxLength: 20_000 }), { maxItems: 200 })),
    turns: Type.Array(Turn, { maxItems: 5_000 }),
  },
  closed,
);
const EXAMPLE_TRANSCRIPT = {
  language: 'en',
  turns: [
    { speaker: 'agent', text: 'Hello, I guarantee it.', start_ms: 0, end_ms: 2000 },
    { speaker: 'customer', text: 'I hope so.', start_ms: 2500, end_ms: 4000 },
  ],
};
export const EvaluateBody = Type.Object(
  {
    transcript: Type.Optional({ ...Transcript, examples: [EXAMPLE_TRANSCRIPT] }),
    call_id: Type.Optional(Id),
    job_id: Type.Optional(Id),
    rule_packs: Type.Optional(Type.Array(ChosenPack, { minItems: 1, maxItems: 20 })),
    roles: Type.Optional(
      Type.Record(Type.String({ maxLength: 64 }), Role, {
        description: 'Roles by the speaker labels of the job’s segments.',
      }),
    ),
  },
  closed,
);
export const Rerun = Type.Object({
  object: Type.Literal('trace.rerun'),
  id: Type.String(),
  digest: Type.String(),
  digest_now: Type.String(),
  same: Type.Boolean(),
});
export const SigningKey = Type.Object({
  object: Type.Literal('trace.signing_key'),
  algorithm: Type.Literal('Ed25519'),
  public_key: Type.String({ description: 'The public key in PEM format.' }),
});

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });
export const ExposureQuery = Type.Object({
  by: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'Comma-separated dimensions to group by: pack, agent, version and day. Defaults to `pack`.',
    }),
  ),
  from: Type.Optional(Day),
  to: Type.Optional(Day),
});
export const Exposure = Type.Object({
  object: Type.Literal('trace.exposure'),
  by: Type.Array(Type.String()),
  data: Type.Array(
    Type.Object({
      pack_id: Type.Optional(nullable(Type.String())),
      agent_id: Type.Optional(nullable(Type.String())),
      agent_version: Type.Optional(nullable(Type.String())),
      day: Type.Optional(nullable(Type.String())),
      currency: nullable(Type.String()),
      violations: Type.Integer(),
      open: Type.Integer({
        description: 'Violations that are open or acknowledged; the amounts include only these.',
      }),
      least_micros: Type.Integer(),
      most_micros: Type.Integer(),
    }),
  ),
});
