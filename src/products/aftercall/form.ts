import { compileArguments, SchemaBudget } from '../../conversation/session/index.ts';

type Schema = Readonly<Record<string, unknown>>;

/** These keywords constrain other fields than the one under validation. */
const OF_THE_WHOLE = [
  'required',
  'minProperties',
  'maxProperties',
  'propertyNames',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
];
/** A form that is not complete yet may violate these. */
const OF_MISSING_FIELDS = ['required', 'minProperties', 'dependentRequired'];

const without = (schema: Schema, names: readonly string[]): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));

const check = (schema: Schema) => compileArguments(schema, new SchemaBudget());

/** An extraction schema as a form with fields that are validated one by one. */
export class ExtractionForm {
  /** The fields with their schemas, as the customer wrote them. */
  readonly fields: ReadonlyMap<string, unknown>;
  readonly #schema: Schema;
  readonly #whole: ReturnType<typeof check>;
  readonly #unfinished: ReturnType<typeof check>;
  readonly #single: ReturnType<typeof check> | null;

  /** Throws Error for an invalid schema. */
  constructor(schema: Schema) {
    this.#schema = schema;
    const { properties, required } = schema;
    const named = Object.entries((properties ?? {}) as Schema);
    const asked = (Array.isArray(required) ? required : []).map((name) => [String(name), true] as const);
    this.fields = new Map<string, unknown>([...asked, ...named]);
    this.#whole = check(schema);
    this.#unfinished = checkOf(without(schema, OF_MISSING_FIELDS)) ?? this.#whole;
    this.#single = checkOf(without(schema, OF_THE_WHOLE));
  }

  /** Builds the schema of an answer with these fields: each has its value and the words that state it, or null. */
  answerSchema(names: readonly string[]): Schema {
    const { $defs, definitions } = this.#schema;
    const fields = names.map((name) => [
      name,
      {
        anyOf: [
          {
            type: 'object',
            properties: { value: this.fields.get(name), quote: { type: 'string' } },
            required: ['value', 'quote'],
          },
          { type: 'null' },
        ],
      },
    ]);
    return {
      type: 'object',
      properties: {
        fields: { type: 'object', properties: Object.fromEntries(fields), required: names },
      },
      required: ['fields'],
      ...($defs === undefined ? {} : { $defs }),
      ...(definitions === undefined ? {} : { definitions }),
    };
  }

  fits(name: string, value: unknown): boolean {
    return this.#single === null || this.#single.problem(Object.fromEntries([[name, value]])) === null;
  }

  /** Returns true where the values fit the schema except for missing fields. */
  stands(values: Record<string, unknown>): boolean {
    const missing = [...this.fields.keys()].some((name) => !Object.hasOwn(values, name));
    return (missing ? this.#unfinished : this.#whole).problem(values) === null;
  }

  valid(values: Record<string, unknown>): boolean {
    return this.#whole.problem(values) === null;
  }
}

/** Returns null where the rest of the schema refers to a removed part. */
function checkOf(schema: Schema): ReturnType<typeof check> | null {
  try {
    return check(schema);
  } catch {
    return null;
  }
}
