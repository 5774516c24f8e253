/**
 * Converts the JSON Schemas of tools to the grammars of the runtime: every property required, no additional ones.
 * What a grammar accepts is valid, except for patterns, bounds of large numbers, `multipleOf`, `uniqueItems` and
 * `not`. The session validates each call against the complete schema anyway.
 */

type Schema = Readonly<Record<string, unknown>>;
export type GrammarSchema = Readonly<Record<string, unknown>>;

const RANGE = 200;
/** Optional properties up to this number occur in every combination; of more, all or none. */
const COMBINED = 3;
/** In deeper levels they are always present, because each level would double the grammar. */
const COMBINED_DEPTH = 1;
const DEEPEST = 24;
const FORMATS = ['date', 'time', 'date-time'];
const SCALARS: GrammarSchema = { type: ['string', 'number', 'boolean', 'null'] };
const ANY: GrammarSchema = {
  oneOf: [SCALARS, { type: 'array' }, { type: 'object', additionalProperties: true }],
};

export const grammarSchema = (schema: object): GrammarSchema =>
  new GrammarWriter(schema as Schema).write(schema, 0);

class GrammarWriter {
  readonly #root: Schema;

  constructor(root: Schema) {
    this.#root = root;
  }

  write(part: unknown, depth: number): GrammarSchema {
    if (depth > DEEPEST) throw new Error('the schema of a tool is nested too deeply or refers to itself');
    if (!isSchema(part)) return ANY;
    const { $ref, allOf, anyOf, oneOf, ...rest } = part;
    if (typeof $ref === 'string')
      return this.write({ ...(this.#referred($ref) as Schema), ...rest }, depth + 1);
    if (Array.isArray(allOf))
      return this.write(joined([{ ...rest, ...only({ anyOf, oneOf }) }, ...allOf]), depth + 1);
    const choices = anyOf ?? oneOf;
    if (Array.isArray(choices)) {
      return { oneOf: choices.map((choice) => this.write(joined([rest, choice]), depth + 1)) };
    }
    return this.#plain(rest, depth);
  }

  #plain(part: Schema, depth: number): GrammarSchema {
    if ('const' in part) return this.#values([part.const], depth);
    if (Array.isArray(part.enum)) return this.#values(part.enum, depth);
    const types = typesOf(part);
    if (types.length === 0) return ANY;
    const [only] = types;
    if (types.length === 1) return this.#typed(only as string, part, depth);
    return { oneOf: types.map((type) => this.#typed(type, part, depth)) };
  }

  #typed(type: string, part: Schema, depth: number): GrammarSchema {
    if (type === 'object') return this.#object(part, depth);
    if (type === 'array') return this.#array(part, depth);
    if (type === 'string') return stringOf(part);
    return type === 'integer' ? integerOf(part) : { type };
  }

  #values(values: readonly unknown[], depth: number): GrammarSchema {
    if (!values.some((value) => typeof value === 'object' && value !== null)) return { enum: values };
    return { oneOf: values.map((value) => this.#value(value, depth + 1)) };
  }

  #value(value: unknown, depth: number): GrammarSchema {
    if (typeof value !== 'object' || value === null) return { const: value };
    if (Array.isArray(value)) {
      const prefixItems = value.map((item) => this.#value(item, depth + 1));
      return { type: 'array', prefixItems, minItems: value.length, maxItems: value.length };
    }
    const entries = Object.entries(value).map(([name, inner]) => [name, this.#value(inner, depth + 1)]);
    return { type: 'object', properties: Object.fromEntries(entries) };
  }

  #array(part: Schema, depth: number): GrammarSchema {
    const { items, prefixItems, minItems, maxItems } = part;
    const first = Array.isArray(prefixItems) ? prefixItems : [];
    return {
      type: 'array',
      ...(first.length > 0 ? { prefixItems: first.map((item) => this.write(item, depth + 1)) } : {}),
      ...(items === false
        ? { minItems: first.length, maxItems: first.length }
        : { items: this.write(items, depth + 1), ...only({ minItems, maxItems }) }),
    };
  }

  #object(part: Schema, depth: number): GrammarSchema {
    const properties = isSchema(part.properties) ? part.properties : {};
    const required = Array.isArray(part.required) ? (part.required as string[]) : [];
    const names = [...new Set([...Object.keys(properties), ...required])];
    if (names.length === 0) return this.#map(part, depth);
    const written = new Map(names.map((name) => [name, this.write(properties[name], depth + 1)]));
    const optional = names.filter((name) => !required.includes(name));
    const variants = (depth > COMBINED_DEPTH ? [optional] : present(optional))
      .map((some) => names.filter((name) => required.includes(name) || some.includes(name)))
      .filter((required) => required.length >= Number(part.minProperties ?? 0))
      .map((required) => ({
        type: 'object',
        properties: Object.fromEntries(required.map((name) => [name, written.get(name)])),
      }));
    return variants.length === 1 ? (variants[0] as GrammarSchema) : { oneOf: variants };
  }

  #map({ additionalProperties, minProperties, maxProperties }: Schema, depth: number): GrammarSchema {
    if (!isSchema(additionalProperties) && minProperties === undefined)
      return depth === 0 || additionalProperties === false
        ? { type: 'object', properties: {} }
        : { type: 'object', additionalProperties: true };
    const values = this.write(additionalProperties, depth + 1);
    return { type: 'object', additionalProperties: values, ...only({ minProperties, maxProperties }) };
  }

  #referred(reference: string): unknown {
    let part: unknown = this.#root;
    for (const step of reference.replace(/^#\/?/, '').split('/').filter(Boolean)) {
      const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
      part = isSchema(part) && Object.hasOwn(part, name) ? part[name] : undefined;
    }
    return isSchema(part) ? part : {};
  }
}

const isSchema = (part: unknown): part is Schema =>
  typeof part === 'object' && part !== null && !Array.isArray(part);

const only = (fields: Record<string, unknown>): Schema =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

function joined(parts: readonly unknown[]): Schema {
  const schemas = parts.filter(isSchema);
  const properties = Object.assign({}, ...schemas.map((schema) => schema.properties));
  const required = schemas.flatMap((schema) => (Array.isArray(schema.required) ? schema.required : []));
  return {
    ...Object.assign({}, ...schemas),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

function typesOf({ type, properties, items, prefixItems }: Schema): string[] {
  if (Array.isArray(type)) return type as string[];
  if (typeof type === 'string') return [type];
  if (properties !== undefined) return ['object'];
  return items === undefined && prefixItems === undefined ? [] : ['array'];
}

function stringOf({ format, minLength, maxLength }: Schema): GrammarSchema {
  if (FORMATS.includes(format as string)) return { type: 'string', format };
  return { type: 'string', ...only({ minLength, maxLength }) };
}

function integerOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): GrammarSchema {
  const least = Math.ceil(Number(minimum ?? Number(exclusiveMinimum) + 1));
  const most = Math.floor(Number(maximum ?? Number(exclusiveMaximum) - 1));
  if (!(most - least >= 0 && most - least < RANGE)) return { type: 'integer' };
  return { enum: Array.from({ length: most - least + 1 }, (_, at) => least + at) };
}

function present(names: readonly string[]): string[][] {
  if (names.length > COMBINED) return [[...names], []];
  const sets = Array.from({ length: 2 ** names.length }, (_, bits) =>
    names.filter((_name, at) => (bits & (1 << at)) === 0),
  );
  return sets;
}
