import { type GrammarSchema, grammarSchema } from '../grammar-schema.ts';

type Schema = Readonly<Record<string, unknown>>;

export interface StrictSchema {
  readonly schema: Schema;
  /** It is false where a part allows what no strict endpoint can enforce, such as an object of any properties. */
  readonly strict: boolean;
}

/**
 * Reduces a JSON Schema to the subset of strict endpoints: types, enumerations, lists, unions, and objects whose
 * properties are all required. Bounds and formats are dropped, so callers must check the answer. Throws Error where
 * the schema is nested too deeply.
 */
export function strictSchema(schema: object): StrictSchema {
  let strict = true;
  const loose = (part: Schema): Schema => {
    strict = false;
    return part;
  };

  function written(part: GrammarSchema): Schema {
    if (Array.isArray(part.oneOf)) return { anyOf: part.oneOf.map(written) };
    if (Array.isArray(part.enum)) return { type: typeOf(part.enum), enum: part.enum };
    if ('const' in part) return { type: typeOf([part.const]), enum: [part.const] };
    if (part.type === 'object') return objectOf(part);
    if (part.type === 'array') return arrayOf(part);
    return { type: part.type };
  }

  function objectOf({ properties, additionalProperties }: GrammarSchema): Schema {
    if (additionalProperties === true) return loose({ type: 'object' });
    if (additionalProperties !== undefined)
      return loose({
        type: 'object',
        additionalProperties: written(additionalProperties as GrammarSchema),
      });
    const own = Object.entries(properties as Record<string, GrammarSchema>);
    return {
      type: 'object',
      properties: Object.fromEntries(own.map(([name, part]) => [name, written(part)])),
      required: own.map(([name]) => name),
      additionalProperties: false,
    };
  }

  function arrayOf({ items, prefixItems }: GrammarSchema): Schema {
    const parts = [...((prefixItems ?? []) as GrammarSchema[]), ...(items === undefined ? [] : [items])];
    if (parts.length === 0) return loose({ type: 'array' });
    const [only, ...others] = parts.map((part) => written(part as GrammarSchema));
    return { type: 'array', items: others.length === 0 ? only : { anyOf: [only, ...others] } };
  }

  const whole = written(grammarSchema(schema));
  return { schema: whole, strict };
}

function typeOf(values: readonly unknown[]): unknown {
  const types = new Set(values.map((value) => (value === null ? 'null' : typeof value)));
  return types.size === 1 ? [...types][0] : [...types];
}
