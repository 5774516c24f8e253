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

/** An extraction schema as a form: its fields, and whether a value fits one of them. */
export class ExtractionForm {
  /** Each with its schema, as the customer wrote it. */
  readonly fields: ReadonlyMap<string, unknown>;
  readonly #schema: Schema;
  readonly #whole: ReturnType<typeof check>;
  readonly #unfinished: ReturnType<typeof check>;
  readonly #single: ReturnType<typeof check> | null;

  /** Throws Error where it is no schema. */
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

  /** Whether these values can stand: together they are what the schema says, but for the fields that are missing. */
  stands(values: Record<string, unknown>): boolean {
    const missing = [...this.fields.keys()].some((name) => !Object.hasOwn(values, name));
    return (missing ? this.#unfinished : this.#whole).problem(values) === null;
  }

  /** Nothing that the schema demands is missing, and all that is there is as it says. */
  valid(values: Record<string, unknown>): boolean {
    return this.#whole.problem(values) === null;
  }
}

/** The result is null when the rest of the schema refers to a removed part. */
function checkOf(schema: Schema): ReturnType<typeof check> | null {
  try {
    return check(schema);
  } catch {
    return null;
  }
}
