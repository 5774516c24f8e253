import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { LineCounter, parseDocument } from 'yaml';
import { telephoneUnsupportedReason } from './telephone-support.ts';
import { isPlainJson, nestsTooDeep } from './yaml-limits.ts';

const closed = <T extends Parameters<typeof Type.Object>[0]>(fields: T) =>
  Type.Object(fields, { additionalProperties: false });
const Text = Type.String({ minLength: 1, maxLength: 4000 });
const Ms = Type.Integer({ minimum: 0, maximum: 600_000 });
const Moment = Type.Integer({ minimum: 0, maximum: 86_400_000 });
const Fields = Type.Record(Type.String(), Type.Unknown());
const OneOrMore = Type.Union([Text, Type.Array(Text, { minItems: 1 })]);

export const Expectation = closed({
  says: Type.Optional(OneOrMore),
  says_not: Type.Optional(OneOrMore),
  matches: Type.Optional(Text),
  meaning: Type.Optional(
    Type.Union([Text, closed({ text: Text, at_least: Type.Number({ minimum: -1, maximum: 1 }) })]),
  ),
  /** The response latency from the caller's last audio to the agent's first, as the caller hears them. */
  within_ms: Type.Optional(Ms),
  interrupted: Type.Optional(Type.Boolean()),
  silent: Type.Optional(Type.Boolean()),
  heard: Type.Optional(OneOrMore),
  tool: Type.Optional(closed({ name: Text, arguments: Type.Optional(Fields) })),
  no_tool: Type.Optional(Type.Boolean()),
});
export type Expectation = Static<typeof Expectation>;

const expect = Type.Optional(Expectation);
const voice = Type.Optional(Type.String({ minLength: 1, maxLength: 128 }));

const TalksOver = closed({ after_ms: Ms, say: Text, voice, audio: Type.Optional(Text) });

const Replay = closed({
  audio: Text,
  begins_ms: Moment,
  turns: Type.Array(closed({ words: Text, at_ms: Moment, end_ms: Moment, expect }), {
    minItems: 1,
    maxItems: 500,
  }),
});

export const Step = Type.Union([
  closed({ say: Text, voice, expect }),
  closed({ audio: Text, words: Type.Optional(Text), expect }),
  closed({ press: Type.String({ pattern: '^[0-9A-D*#]{1,32}$' }), expect }),
  closed({ silence_ms: Ms, expect }),
  closed({ hold_ms: Ms, expect }),
  closed({ interrupt: TalksOver, expect }),
  closed({ backchannel: TalksOver, expect }),
  closed({ voicemail: closed({ greeting: Text, beep_hertz: Type.Optional(Type.Number()) }), expect }),
  closed({
    persona: closed({ who: Text, goal: Text, turns: Type.Integer({ minimum: 1, maximum: 30 }) }),
    expect,
  }),
  closed({ replay: Replay }),
  closed({ hang_up: Type.Literal(true) }),
]);
export type Step = Static<typeof Step>;

const Line = closed({
  loss: Type.Optional(Type.Number({ minimum: 0, maximum: 0.9 })),
  jitter_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000 })),
  noise_dbfs: Type.Optional(Type.Number({ minimum: -90, maximum: 0 })),
});
const Over = Type.Enum(['websocket', 'carrier']);
export type Over = Static<typeof Over>;
const CallerSide = closed({ voice, line: Type.Optional(Line), over: Type.Optional(Over) });

const MockAnswer = closed({
  arguments: Type.Optional(Fields),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Text),
  delay_ms: Type.Optional(Ms),
});
export type MockAnswer = Static<typeof MockAnswer>;

const Mock = closed({
  description: Type.Optional(Type.String({ maxLength: 1024 })),
  parameters: Type.Optional(Fields),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Text),
  delay_ms: Type.Optional(Ms),
  /** The answers are used one by one; the last one repeats. */
  answers: Type.Optional(Type.Array(MockAnswer, { minItems: 1, maxItems: 200 })),
});
export type Mock = Static<typeof Mock>;

/**
 * A line of the scripted model. The first line applies whose `when` matches the last utterance, or whose tool has
 * answered.
 */
const ModelLine = closed({
  when: Type.Optional(Text),
  after_tool: Type.Optional(Text),
  say: Type.Optional(Text),
  call: Type.Optional(closed({ name: Text, arguments: Type.Optional(Fields) })),
  delay_ms: Type.Optional(Ms),
});
export type ModelLine = Static<typeof ModelLine>;

export const WholeExpectation = closed({
  outcome: Type.Optional(Text),
  slots: Type.Optional(Type.Record(Type.String(), Type.String())),
  tools: Type.Optional(Type.Array(Text)),
  path: Type.Optional(Type.Array(Text)),
  trace: Type.Optional(
    closed({
      rule_packs: Type.Optional(Type.Array(Fields)),
      violations_at_most: Type.Integer({ minimum: 0 }),
    }),
  ),
  /** The cost is that of the billed seconds at this price. */
  cost: Type.Optional(
    closed({ per_minute: Type.Number({ minimum: 0 }), at_most: Type.Number({ minimum: 0 }) }),
  ),
});
export type WholeExpectation = Static<typeof WholeExpectation>;

const Scenario = closed({
  name: Text,
  caller: Type.Optional(CallerSide),
  steps: Type.Array(Step, { minItems: 1, maxItems: 100 }),
  expect: Type.Optional(WholeExpectation),
});
export type Scenario = Static<typeof Scenario>;

export const Suite = closed({
  name: Text,
  about: Type.Optional(Text),
  agent_id: Type.Optional(Text),
  agent: Type.Optional(Fields),
  model: Type.Optional(Type.Array(ModelLine, { minItems: 1 })),
  tools: Type.Optional(Type.Record(Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }), Mock)),
  caller: Type.Optional(CallerSide),
  /** Each scenario runs this many times and passes only when every run does. */
  repeat: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  /** The share of the flow's edges that the scenarios must cover together. */
  edges_at_least: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  scenarios: Type.Array(Scenario, { minItems: 1, maxItems: 200 }),
});
export type Suite = Static<typeof Suite>;

export class SuiteError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SuiteError';
  }
}

export function readSuite(yaml: string, file: string): Suite {
  if (nestsTooDeep(yaml)) throw new SuiteError(`${file}:1: suite is nested too deeply`);
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines });
  const [broken] = document.errors;
  if (broken !== undefined)
    throw new SuiteError(`${file}:${lines.linePos(broken.pos[0]).line}: ${broken.message.split('\n')[0]}`);
  const suite: unknown = document.toJS();
  if (!isPlainJson(suite))
    throw new SuiteError(
      `${file}:1: suite cannot be converted to JSON: it refers to itself, is nested too deeply, or has a value that JSON does not support`,
    );
  const at = (path: readonly string[]): string => {
    for (let length = path.length; length > 0; length--) {
      const node = document.getIn(path.slice(0, length).map(keyOf), true) as { range?: number[] } | undefined;
      if (node?.range !== undefined) return `${file}:${lines.linePos(node.range[0] as number).line}`;
    }
    return `${file}:1`;
  };
  const fault = faultOf(suite);
  if (fault !== null)
    throw new SuiteError(`${at(fault.path)}: ${fault.path.join('.') || 'suite'} ${fault.said}`);
  return suite as Suite;
}

const keyOf = (part: string): string | number => (/^\d+$/.test(part) ? Number(part) : part);

function faultOf(suite: unknown): { path: string[]; said: string } | null {
  const odd = oddStep(suite);
  if (odd !== null) return odd;
  const [error] = Value.Errors(Suite, suite);
  if (error !== undefined) {
    const path = error.instancePath.split('/').slice(1);
    if (error.keyword === 'boolean') return { path, said: 'is not a field of a suite' };
    return { path, said: error.message };
  }
  const { agent, agent_id, model } = suite as Suite;
  if ((agent === undefined) === (agent_id === undefined))
    return { path: [], said: 'must have either agent or agent_id' };
  if (model !== undefined && agent === undefined)
    return { path: ['model'], said: 'is allowed only if the suite defines its agent' };
  return overCarrier(suite as Suite);
}

function overCarrier(suite: Suite): { path: string[]; said: string } | null {
  const { caller, scenarios } = suite;
  for (const [i, scenario] of scenarios.entries()) {
    if ((scenario.caller?.over ?? caller?.over) !== 'carrier') continue;
    const said = telephoneUnsupportedReason(suite, scenario, suite.agent !== undefined);
    if (said !== null) return { path: ['scenarios', String(i)], said };
  }
  return null;
}

const STEP_KINDS = [
  'say',
  'audio',
  'press',
  'silence_ms',
  'hold_ms',
  'interrupt',
  'backchannel',
  'voicemail',
  'persona',
  'replay',
  'hang_up',
];

/** The error of a union is vague, so this names the problem in the step's own kind. */
function oddStep(suite: unknown): { path: string[]; said: string } | null {
  const { scenarios } = (suite ?? {}) as { scenarios?: unknown };
  if (!Array.isArray(scenarios)) return null;
  for (const [i, scenario] of scenarios.entries()) {
    const { steps } = (scenario ?? {}) as { steps?: unknown };
    if (!Array.isArray(steps)) continue;
    for (const [j, step] of steps.entries()) {
      const path = ['scenarios', String(i), 'steps', String(j)];
      const kinds = Object.keys((step ?? {}) as object).filter((key) => STEP_KINDS.includes(key));
      if (kinds.length !== 1) return { path, said: `must have exactly one of ${STEP_KINDS.join(', ')}` };
      const schema = Step.anyOf.find((one) => Object.hasOwn(one.properties, kinds[0] as string));
      const [error] = schema === undefined ? [] : Value.Errors(schema, step);
      if (error === undefined) continue;
      const inner = error.instancePath.split('/').slice(1);
      const said = error.keyword === 'boolean' ? 'is not a field of this step' : error.message;
      return { path: [...path, ...inner], said };
    }
  }
  return null;
}
