import { type Static, Type } from 'typebox';
import Value from 'typebox/value';
import { parse } from 'yaml';

const Ms = Type.Integer({ minimum: 0, maximum: 3_600_000 });
const closed = <T extends Parameters<typeof Type.Object>[0]>(fields: T) =>
  Type.Object(fields, { additionalProperties: false });

const Menu = closed({
  prompt: Type.String({ minLength: 1, maxLength: 2000 }),
  keys: Type.Record(Type.String({ pattern: '^[0-9A-D*#]$' }), Type.String({ maxLength: 2000 }), {
    additionalProperties: false,
  }),
  times: Type.Optional(Type.Integer({ minimum: 1, maximum: 20 })),
  wait_ms: Type.Optional(Ms),
});

export const Step = Type.Union([
  closed({ pause_ms: Ms }),
  closed({ say: Type.String({ minLength: 1, maxLength: 2000 }) }),
  closed({ tone: closed({ hertz: Type.Array(Type.Number({ minimum: 50, maximum: 3900 })), ms: Ms }) }),
  closed({ music_ms: Ms }),
  /** Waits until the caller has spoken and is silent. */
  closed({ listen: closed({ silence_ms: Type.Optional(Ms), most_ms: Type.Optional(Ms) }) }),
  closed({ menu: Menu }),
  closed({ press: Type.String({ pattern: '^[0-9A-D*#w]{1,64}$' }) }),
  closed({ hang_up: Type.Literal(true) }),
]);
export type Step = Static<typeof Step>;

export const Scenario = closed({
  /** The time until the outcome. An unanswered call keeps ringing. */
  ring_ms: Type.Optional(Ms),
  outcome: Type.Optional(Type.Enum(['answer', 'busy', 'no_answer', 'rejected', 'failed'])),
  steps: Type.Optional(Type.Array(Step, { maxItems: 200 })),
  hang_up_after_ms: Type.Optional(Ms),
  /** The share of the other side's frames that are lost, and the jitter of the rest. */
  loss: Type.Optional(Type.Number({ minimum: 0, maximum: 0.9 })),
  jitter_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000 })),
  /** The far end returns what it is sent with this delay and attenuation, as a speakerphone does. */
  echo: Type.Optional(
    closed({
      delay_ms: Type.Integer({ minimum: 0, maximum: 1000 }),
      db: Type.Number({ minimum: -60, maximum: 0 }),
    }),
  ),
  voice: Type.Optional(Type.String({ maxLength: 64 })),
});
export type Scenario = Static<typeof Scenario>;

const Network = closed({
  numbers: Type.Record(Type.String({ pattern: '^\\+[1-9][0-9]{6,14}$' }), Scenario, {
    additionalProperties: false,
  }),
});

/** The map is keyed by the dialed number. Throws an Error that names what is invalid and where. */
export function readNetwork(yaml: string, name: string): ReadonlyMap<string, Scenario> {
  const document: unknown = parse(yaml);
  if (!Value.Check(Network, document)) {
    const [first] = Value.Errors(Network, document);
    throw new Error(
      `${name}: ${first?.instancePath || '/'} ${first?.message ?? 'is not a network of numbers'}`,
    );
  }
  return new Map(Object.entries(document.numbers));
}
