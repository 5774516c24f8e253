type Json = Record<string, unknown>;

/**
 * Writes maps with `additionalProperties` and `propertyNames`: most client generators do not know `patternProperties`, and
 * generate an empty object for it.
 */
export function withPlainMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPlainMaps);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withPlainMaps(one)]));
  return isMap(inner) ? toPlainMap(inner) : inner;
}

const isMap = (schema: Json): schema is Json & { patternProperties: Json } =>
  schema.type === 'object' &&
  typeof schema.patternProperties === 'object' &&
  schema.patternProperties !== null &&
  schema.properties === undefined &&
  Object.keys(schema.patternProperties).length === 1;

/** TypeBox's pattern for any name adds no information. */
const ANY = '^.*$';

function toPlainMap({ patternProperties, ...rest }: Json & { patternProperties: Json }): Json {
  const [[pattern, values]] = Object.entries(patternProperties) as [[string, unknown]];
  return {
    ...rest,
    ...(pattern === ANY ? {} : { propertyNames: { pattern } }),
    additionalProperties: isAnything(values) ? true : values,
  };
}

const isAnything = (schema: unknown): boolean =>
  typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0;
