import { type Static, Type } from 'typebox';

const closed = <T extends Parameters<typeof Type.Object>[0]>(
  properties: T,
  options: { readonly description?: string } = {},
) => Type.Object(properties, { additionalProperties: false, ...options });
const Id = (description: string) =>
  Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$', maxLength: 64, description });
const Name = (description: string) => Type.String({ minLength: 1, maxLength: 64, description });

const Text = Type.String({ minLength: 1, maxLength: 1000, pattern: '\\S' });
/** One text, or one for each language; `{name}` stands for a slot or a variable. */
export const Words = Type.Union(
  [
    Text,
    Type.Record(Type.String({ pattern: '^[a-z]{2}$' }), Text, {
      additionalProperties: false,
      minProperties: 1,
    }),
  ],
  { description: 'A text, or one text per language; {name} is replaced by the value of a slot or variable.' },
);
export type Words = Static<typeof Words>;

const Template = Type.String({
  minLength: 1,
  maxLength: 1600,
  description: '{name} is replaced by the value of a slot or variable.',
});

export const SLOT_KINDS = [
  'digits',
  'phone',
  'email',
  'name',
  'code',
  'date',
  'time',
  'amount',
  'yes_no',
  'choice',
  'text',
] as const;

const Called = Type.String({ minLength: 1, maxLength: 100 });
const Label = Type.Union(
  [
    Called,
    Type.Record(Type.String({ pattern: '^[a-z]{2}$' }), Called, {
      additionalProperties: false,
      minProperties: 1,
    }),
  ],
  {
    description:
      'How the agent refers to the value, such as "your order number": one text, or one text per language.',
  },
);

const Slot = closed({
  name: Id('The name used in rules and templates.'),
  kind: Type.Enum([...SLOT_KINDS], {
    description: '`choice` accepts one of `options`; `text` accepts the caller’s next utterance verbatim.',
  }),
  label: Type.Optional(Label),
  prompt: Type.Optional(Words),
  options: Type.Optional(Type.Array(Name('An accepted answer.'), { minItems: 2, maxItems: 20 })),
  lookup: Type.Optional(Name('The name of one of the agent’s lookups, which holds the accepted values.')),
  confirm: Type.Optional(
    Type.Enum(['auto', 'always', 'never'], {
      description: 'Whether the agent reads the value back. Defaults to `auto`, which depends on the kind.',
    }),
  ),
});
export type Slot = Static<typeof Slot>;

const Scalar = Type.Union([Type.String({ maxLength: 1000 }), Type.Number(), Type.Boolean()]);

const RuleRef = Type.Unsafe<Rule>({ $ref: '#/$defs/rule' });

export const RULE = Type.Union([
  closed({ all: Type.Array(RuleRef, { minItems: 1, maxItems: 20 }) }),
  closed({ any: Type.Array(RuleRef, { minItems: 1, maxItems: 20 }) }),
  closed({ not: RuleRef }),
  closed({
    value: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'A slot, a variable, or a path in a result, such as `order.total`.',
    }),
    is: Type.Optional(Scalar),
    is_not: Type.Optional(Scalar),
    over: Type.Optional(Type.Number()),
    under: Type.Optional(Type.Number()),
    at_least: Type.Optional(Type.Number()),
    at_most: Type.Optional(Type.Number()),
    in: Type.Optional(Type.Array(Scalar, { minItems: 1, maxItems: 50 })),
    known: Type.Optional(Type.Boolean()),
  }),
]);
export type Rule =
  | { readonly all: readonly Rule[] }
  | { readonly any: readonly Rule[] }
  | { readonly not: Rule }
  | ({ readonly value: string } & {
      readonly is?: string | number | boolean;
      readonly is_not?: string | number | boolean;
      readonly over?: number;
      readonly under?: number;
      readonly at_least?: number;
      readonly at_most?: number;
      readonly in?: readonly (string | number | boolean)[];
      readonly known?: boolean;
    });

export const TRANSFER_KINDS = ['cold', 'warm', 'queue'] as const;
export const TRANSFER_AGENTS = ['leaves', 'talks', 'listens'] as const;

export interface TransferManner {
  readonly kind: (typeof TRANSFER_KINDS)[number];
  readonly also: readonly string[];
  readonly waitSeconds: number;
  readonly agent: (typeof TRANSFER_AGENTS)[number];
}

const Coordinate = Type.Integer({ minimum: -100_000, maximum: 100_000 });

const common = {
  id: Id('The ID of the node in edges, errors and call records.'),
  label: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'A display name.' })),
  position: Type.Optional(
    closed(
      { x: Coordinate, y: Coordinate },
      { description: 'The position of the node on the canvas; it does not affect calls.' },
    ),
  ),
  instruction: Type.Optional(
    Type.String({ minLength: 1, maxLength: 4000, description: 'Instructions to the model for this node.' }),
  ),
  tools: Type.Optional(
    Type.Array(Name('The name of one of the agent’s tools.'), {
      maxItems: 32,
      description: 'The tools that the model may call in this node. Defaults to none.',
    }),
  ),
  topics: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: 20,
      description: 'The topics that the model may discuss in this node.',
    }),
  ),
  attempts: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 20,
      description:
        'How many caller turns the node may take before its `attempts` edge is followed; defaults to 3. In an `ask` node: how many answers to a slot may be misunderstood; defaults to the limit of `capture`.',
    }),
  ),
  max_seconds: Type.Optional(
    Type.Integer({
      minimum: 5,
      maximum: 3600,
      description: 'Seconds after which the `attempts` edge is followed.',
    }),
  ),
  max_visits: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 50,
      description: 'How often the node can be entered; after that, edges to it are disabled. Defaults to 10.',
    }),
  ),
  speed: Type.Optional(
    Type.Number({
      minimum: 0.5,
      maximum: 2,
      description: 'The speech rate in this node, relative to the voice’s own rate. Defaults to 1.',
    }),
  ),
  required: Type.Optional(
    Type.Boolean({
      description:
        'Whether tools, transfers and handoffs after this node are blocked until the node has been passed.',
    }),
  ),
  requires: Type.Optional(
    Type.Array(Id('The ID of a node.'), {
      maxItems: 50,
      description:
        'The nodes that must be passed before this node can be entered. Defaults to every required node that leads to it.',
    }),
  ),
};

const node = <T extends string, P extends Parameters<typeof Type.Object>[0]>(type: T, properties: P) =>
  closed({ ...common, type: Type.Literal(type), ...properties });

export const NODES = {
  say: node('say', { say: Type.Optional(Words) }),
  ask: node('ask', {
    say: Type.Optional(Words),
    slots: Type.Array(Slot, { minItems: 1, maxItems: 20 }),
  }),
  decide: node('decide', {
    question: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1000,
        description: 'The question that the model answers if no rule is true.',
      }),
    ),
    answers: Type.Optional(
      Type.Array(Name('A possible answer of the model.'), { minItems: 2, maxItems: 20 }),
    ),
  }),
  tool: node('tool', {
    say: Type.Optional(Words),
    tool: Name('The name of one of the agent’s tools.'),
    arguments: Type.Optional(
      Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), {
        description:
          'A string that consists only of {name} is replaced by the value itself, in its own type.',
      }),
    ),
    save: Type.Optional(Id('The variable in which the result is stored.')),
  }),
  knowledge: node('knowledge', { query: Type.Optional(Template) }),
  transfer: node('transfer', {
    say: Type.Optional(Words),
    to: Type.String({ minLength: 1, maxLength: 128 }),
    summary: Type.Optional(Template),
    kind: Type.Optional(
      Type.Enum([...TRANSFER_KINDS], {
        description:
          '`warm` (default): the person hears the summary and accepts the call. `cold`: the caller and the person are connected immediately. `queue`: `to` and the numbers in `also` are called one after another until someone accepts.',
      }),
    ),
    also: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
        maxItems: 20,
        description: 'With `queue`: the numbers to call after `to`.',
      }),
    ),
    wait_seconds: Type.Optional(
      Type.Integer({
        minimum: 30,
        maximum: 3600,
        description:
          'With `queue`: seconds after which the call returns to the agent if nobody has accepted. Defaults to 300.',
      }),
    ),
    agent: Type.Optional(
      Type.Enum([...TRANSFER_AGENTS], {
        description:
          'With `warm` and `queue`: the agent `leaves` (default), `talks` with both, or `listens` silently, so that the transcript includes the conversation.',
      }),
    ),
  }),
  handoff: node('handoff', {
    say: Type.Optional(Words),
    agent_id: Type.String({ pattern: '^agt_[0-9A-Za-z]{20}$' }),
    context: Type.Optional(Type.Enum(['all', 'summary', 'slots'])),
    slots: Type.Optional(
      Type.Array(Id('The name of a slot that is passed to the other agent.'), { maxItems: 50 }),
    ),
  }),
  wait: node('wait', {
    say: Type.Optional(Words),
    until: Type.Optional(Type.Enum(['human', 'hold_end'])),
    seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1800,
        description: 'Seconds after which the wait ends. With `until`, the result is then `failed`.',
      }),
    ),
  }),
  message: node('message', { body: Template }),
  subflow: node('subflow', { flow: Id('A key of `subflows`.') }),
  end: node('end', { say: Type.Optional(Words) }),
} as const;

export type NodeType = keyof typeof NODES;
export const NODE_TYPES = Object.keys(NODES) as NodeType[];
export type FlowNode = { [T in NodeType]: Static<(typeof NODES)[T]> }[NodeType];
export type NodeOf<T extends NodeType> = Static<(typeof NODES)[T]>;

/** Exactly one field is set; an edge without a condition is taken when no other is. */
export const When = closed({
  slot: Type.Optional(
    Type.Union(
      [Id('The name of a slot.'), Type.Array(Id('The name of a slot.'), { minItems: 1, maxItems: 20 })],
      {
        description: 'The edge is followed when these slots are filled.',
      },
    ),
  ),
  rule: Type.Optional(RuleRef),
  intent: Type.Optional(
    Id(
      'The caller’s intent. `wants_person`, `wants_to_stop` and `wants_repeat` are built in for every language.',
    ),
  ),
  result: Type.Optional(Type.Enum(['ok', 'failed'])),
  silence: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10,
      description: 'How many times in a row the caller stayed silent.',
    }),
  ),
  key: Type.Optional(Type.String({ pattern: '^[0-9A-D*#]{1,32}$' })),
  attempts: Type.Optional(
    Type.Literal(true, { description: 'The edge is followed when the node’s attempts or time are used up.' }),
  ),
  answer: Type.Optional(Name('An answer of a `decide` node.')),
  language: Type.Optional(
    Type.String({
      pattern: '^[a-z]{2}$',
      description: 'The edge is followed when the caller switches to this language.',
    }),
  ),
  phrases: Type.Optional(
    Type.Array(Type.String({ minLength: 2, maxLength: 100 }), {
      maxItems: 50,
      description: 'With `intent`: phrases that match the intent without a model.',
    }),
  ),
  description: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 300,
      description: 'With `intent`: the description that the model receives.',
    }),
  ),
});
export type When = Static<typeof When>;
export const CONDITIONS = [
  'slot',
  'rule',
  'intent',
  'result',
  'silence',
  'key',
  'attempts',
  'answer',
  'language',
] as const;
export type Condition = (typeof CONDITIONS)[number] | 'otherwise';

const Priority = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 1000,
    description: 'Edges with a lower number are evaluated first. Defaults to 100.',
  }),
);
const EdgeSchema = closed({
  from: Type.String(),
  to: Type.String(),
  when: Type.Optional(When),
  priority: Priority,
});
const GlobalSchema = closed({ to: Type.String(), when: When, priority: Priority });
export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly when?: When;
  readonly priority?: number;
}
export type GlobalEdge = Omit<Edge, 'from'> & { readonly when: When };

const Nodes = Type.Array(Type.Union(Object.values(NODES)), { minItems: 1, maxItems: 200 });
const graph = {
  start: Id('The first node.'),
  nodes: Nodes,
  edges: Type.Array(EdgeSchema, { maxItems: 1000 }),
};
const SubflowSchema = closed(graph);
const SubflowName = Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$' });

export const FlowSchema = Type.Object(
  {
    ...graph,
    globals: Type.Optional(
      Type.Array(GlobalSchema, { maxItems: 50, description: 'Edges that apply in every node.' }),
    ),
    persona: Type.Optional(
      Type.String({
        maxLength: 4000,
        description:
          'The persona of the agent in this flow; it replaces the agent’s own `persona`. The steps belong in the nodes.',
      }),
    ),
    subflows: Type.Optional(Type.Record(SubflowName, SubflowSchema, { additionalProperties: false })),
  },
  { additionalProperties: false, $defs: { rule: RULE } },
);

/** The JSON Schema of a flow as a document of its own. */
export const FLOW_DOCUMENT_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...FlowSchema,
};

export interface Graph {
  readonly start: string;
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly Edge[];
}
export interface Flow extends Graph {
  readonly globals?: readonly GlobalEdge[];
  readonly persona?: string;
  readonly subflows?: Readonly<Record<string, Graph>>;
}

const Any = Type.Object({});
const outline = {
  start: graph.start,
  nodes: Type.Array(Any, { minItems: 1, maxItems: 200 }),
  edges: Type.Array(Any, { maxItems: 1000 }),
};

/**
 * Parts are validated one at a time, so that an error names its node or edge. `flow` is the frame around the
 * parts.
 */
export const PARTS = {
  edge: EdgeSchema,
  global: GlobalSchema,
  flow: closed({
    ...outline,
    globals: Type.Optional(Type.Array(Any, { maxItems: 50 })),
    persona: FlowSchema.properties.persona,
    subflows: Type.Optional(Type.Record(SubflowName, closed(outline), { additionalProperties: false })),
  }),
} as const;

/**
 * A global edge leads here instead of to a node: the last line is repeated, and the conversation continues
 * where it was.
 */
export const REPEAT = '$repeat';
export const BACK = '$back';

export const QUEUE_SECONDS = 300;
export const ATTEMPTS = 3;
export const VISITS = 10;
export const PRIORITY = 100;

export const conditionOf = (when: When | undefined): Condition =>
  CONDITIONS.find((name) => when?.[name] !== undefined) ?? 'otherwise';
