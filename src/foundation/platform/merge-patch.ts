/** PATCH follows JSON merge patch (RFC 7396): an omitted field stays, and null removes. */
import { type Static, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox';

type Json = Record<string, unknown>;

export type Patch<T> = { readonly [Name in keyof T]?: T[Name] | null };

export const MERGES = { 'x-merge-patch': true } as const;

export const isMergePatch = (schema: unknown): boolean =>
  typeof schema === 'object' && schema !== null && (schema as Json)['x-merge-patch'] === true;

type Patched<Fields extends TProperties, Required extends keyof Fields> = {
  [Name in Required]?: Static<Fields[Name]>;
} & { [Name in Exclude<keyof Fields, Required>]?: Static<Fields[Name]> | null };

/** Each field may be omitted or null, except the `required` ones, which take no null. */
export function mergePatchOf<Fields extends TProperties, Required extends keyof Fields = never>(
  fields: Fields,
  required: readonly Required[] = [],
  options: object = {},
): TUnsafe<Patched<Fields, Required>> {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => {
      // A schema default would be filled in as if the client had sent the field.
      const { default: _unsaid, ...rest } = schema as Json;
      const field = required.includes(name as unknown as Required) ? rest : orNull(rest);
      return [name, Type.Optional(field as TSchema)];
    }),
  );
  return Type.Unsafe(Type.Object(properties, { additionalProperties: false, ...MERGES, ...options }));
}

/** Applies the change to `before`: null restores the default, or removes a field without one. */
export function mergePatch<T extends object>(before: T, change: Patch<T>, defaults: Partial<T>): T {
  const next = { ...before } as Json;
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined) continue;
    if (value !== null) next[name] = value;
    else if (Object.hasOwn(defaults, name)) next[name] = (defaults as Json)[name];
    else delete next[name];
  }
  return next as T;
}

export const takesNull = (schema: Json): boolean =>
  [schema.type].flat().includes('null') ||
  (schema.type === undefined &&
    schema.const === undefined &&
    schema.enum === undefined &&
    schema.anyOf === undefined &&
    schema.oneOf === undefined) ||
  schema.const === null ||
  (Array.isArray(schema.enum) && schema.enum.includes(null)) ||
  [schema.anyOf, schema.oneOf].some(
    (list) => Array.isArray(list) && list.some((one) => takesNull(one as Json)),
  );

export function orNull<T extends Json>(schema: T): Json {
  if (takesNull(schema)) return schema;
  const { description, default: unsaid, examples, ...rest } = schema;
  const { anyOf, ...others } = rest as Json;
  const choice = Array.isArray(anyOf) && Object.keys(others).length === 0 ? anyOf : [rest];
  return {
    ...(description === undefined ? {} : { description }),
    ...(unsaid === undefined ? {} : { default: unsaid }),
    ...(examples === undefined ? {} : { examples }),
    anyOf: [...choice, { type: 'null' }],
  };
}
