import Type, { type Static } from 'typebox';
import { PII_ENTITIES } from '../../../language/pii/index.ts';
import { SEVERITIES } from '../contract.ts';

const closed = { additionalProperties: false } as const;
const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const Language = Type.Enum(['en', 'fr', 'es', 'de', 'hi']);

const Speaker = Type.Enum(['agent', 'customer', 'any'], {
  description: 'The speaker whose words are matched.',
});
/** The keys are languages; `...` in a phrase matches up to six words. */
const Phrases = Type.Partial(Type.Record(Language, Type.Array(Text(200), { minItems: 1, maxItems: 200 })), {
  ...closed,
  description: 'Phrases by language. `...` matches up to six words.',
});
const Tolerance = Type.Enum(['exact', 'sound'], {
  description:
    '`sound` (default) also matches words that sound like the phrase, as recognizers confuse them.',
});
const Topic = Type.Object(
  {
    examples: Type.Array(Text(300), { minItems: 1, maxItems: 50 }),
    threshold: Type.Optional(Type.Number({ minimum: 0.2, maximum: 1 })),
  },
  closed,
);

const Matcher = Type.Object(
  {
    speaker: Type.Optional(Speaker),
    phrases: Type.Optional(Phrases),
    tolerance: Type.Optional(Tolerance),
    regex: Type.Optional(Text(500)),
    entities: Type.Optional(Type.Array(Type.Enum([...PII_ENTITIES]), { minItems: 1 })),
    topic: Type.Optional(Topic),
  },
  { ...closed, description: 'Matches if any of its conditions matches.' },
);

const Turn = Type.Object(
  {
    agent: Type.Optional(Type.String({ maxLength: 2000 })),
    customer: Type.Optional(Type.String({ maxLength: 2000 })),
    at_ms: Type.Optional(Type.Integer({ minimum: 0 })),
    for_ms: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  closed,
);
const Example = Type.Object(
  {
    language: Type.Optional(Language),
    turns: Type.Array(Turn, { minItems: 1, maxItems: 20 }),
    customer_number: Type.Optional(Type.String({ maxLength: 20 })),
    started_at: Type.Optional(Type.Integer({ minimum: 0 })),
    recorded_from_ms: Type.Optional(Type.Integer({ minimum: 0 })),
    knowledge: Type.Optional(Type.Array(Text(2000), { maxItems: 20 })),
    expect: Type.Enum(['hit', 'none', 'unjudged']),
    quote: Type.Optional(Type.String({ maxLength: 500, description: 'The quote of the first match.' })),
  },
  closed,
);

const common = {
  id: Type.String({ pattern: '^[a-z][a-z0-9-]{0,62}$' }),
  title: Text(200),
  speaker: Type.Optional(Speaker),
  severity: Type.Enum([...SEVERITIES]),
  outcome: Type.Optional(Type.Enum(['violation', 'finding'])),
  effect: Type.Optional(
    Type.Enum(['suppress'], { description: 'Adds the customer’s number to the do-not-call list.' }),
  ),
  source: Type.Object(
    {
      title: Text(300),
      url: Type.Optional(Text(500)),
      date: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
    },
    { ...closed, description: 'The source of the rule and its date.' },
  ),
  exposure: Type.Optional(
    Type.Object(
      {
        currency: Type.String({ pattern: '^[A-Z]{3}$' }),
        least: Type.Integer({ minimum: 0, maximum: 100_000_000 }),
        most: Type.Integer({ minimum: 0, maximum: 100_000_000 }),
      },
      { ...closed, description: 'The possible cost of one violation, in whole units of the currency.' },
    ),
  ),
  examples: Type.Optional(Type.Array(Example, { maxItems: 50 })),
};

const rule = <K extends string, P extends Record<string, import('typebox').TSchema>>(kind: K, own: P) =>
  Type.Object({ ...common, kind: Type.Literal(kind), ...own }, closed);

const Seconds = Type.Number({ minimum: 0.1, maximum: 3600 });
const HourMinute = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' });

export const Rule = Type.Union([
  rule('phrase', { phrases: Phrases, tolerance: Type.Optional(Tolerance) }),
  rule('regex', { pattern: Text(500) }),
  rule('entity', { entities: Type.Array(Type.Enum([...PII_ENTITIES]), { minItems: 1 }) }),
  rule('disclosure', {
    phrases: Phrases,
    tolerance: Type.Optional(Tolerance),
    within_s: Seconds,
    after: Type.Optional(
      Type.Enum(['agent', 'customer'], {
        description: 'The speaker whose first words start the time limit. Defaults to `speaker`.',
      }),
    ),
  }),
  rule('topic', { topic: Topic }),
  rule('quiet_hours', { from: HourMinute, to: HourMinute }),
  rule('recording_consent', { phrases: Phrases, tolerance: Type.Optional(Tolerance) }),
  rule('sequence', { first: Matcher, later: Matcher }),
  rule('silence', { longest_s: Seconds }),
  rule('talk_over', { longest_s: Seconds }),
  rule('unsupported_claim', { min_likeness: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })) }),
]);

export const RulePack = Type.Object(
  {
    $schema: Type.Optional(Type.String({ maxLength: 500 })),
    pack_id: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_-]{0,62}$' }),
    version: Type.String({ pattern: '^\\d{1,6}\\.\\d{1,6}\\.\\d{1,6}$' }),
    title: Text(200),
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    jurisdiction: Text(100),
    legal_status: Text(500),
    rules: Type.Array(Rule, { minItems: 1, maxItems: 200 }),
  },
  { ...closed, $id: 'rule-pack', title: 'Rule pack' },
);

export type Rule = Static<typeof Rule>;
export type RulePack = Static<typeof RulePack>;
export type RuleOf<K extends Rule['kind']> = Extract<Rule, { kind: K }>;
export type Matcher = Static<typeof Matcher>;
export type Phrases = Static<typeof Phrases>;
export type Topic = Static<typeof Topic>;
export type Example = Static<typeof Example>;
