/** PATCH follows JSON merge patch (RFC 7396): an omitted field stays, and null removes. */
import { type Static, type TObject, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox';
import { ApiError } from './errors.ts';

type Json = Record<string, unknown>;

export type Patch<T> = { readonly [Name in keyof T]?: T[Name] | null };

/** The patch of an object whose `Nested` fields are objects that it merges too. */
export type NestedPatch<T, Nested extends keyof T> = Patch<Omit<T, Nested>> & {
  readonly [Name in Nested]?: Patch<NonNullable<T[Name]>> | null;
};

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

type NestedSchemas = Readonly<Record<string, TObject>>;

/** A field that its object requires takes no null. */
export const nestedPatchesOf = <Nested extends NestedSchemas>(
  nested: Nested,
): { [Name in keyof Nested]: TUnsafe<Patched<Nested[Name]['properties'], never>> } =>
  Object.fromEntries(
    Object.entries(nested).map(([name, schema]) => [
      name,
      mergePatchOf(schema.properties, schema.required as never),
    ]),
  ) as never;

/**
 * Applies the change to `before`: null restores the default, or removes a field without one. The `nested` fields are
 * merged at every depth; the others are replaced as a whole.
 */
export function mergePatch<T extends object, Nested extends keyof T = never>(
  before: T,
  change: NestedPatch<T, Nested>,
  defaults: Partial<T>,
  nested: readonly Nested[] = [],
): T {
  const next = { ...before } as Json;
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined) continue;
    if (value !== null) next[name] = nested.includes(name as never) ? merged(next[name], value) : value;
    else if (Object.hasOwn(defaults, name)) next[name] = (defaults as Json)[name];
    else delete next[name];
  }
  return next as T;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function merged(before: unknown, change: unknown): unknown {
  if (!isObject(change)) return change;
  const next: Json = isObject(before) ? { ...before } : {};
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete next[name];
    else if (value !== undefined) next[name] = merged(next[name], value);
  }
  return next;
}

/** Throws ApiError where a merged object lacks a field; what its patch may hold is checked before the merge. */
export function checkMerged(value: object, nested: NestedSchemas, within = ''): void {
  for (const [name, { required = [] }] of Object.entries(nested)) {
    const inner = (value as Json)[name];
    const missing = isObject(inner) ? required.find((field) => !Object.hasOwn(inner, field)) : undefined;
    if (missing === undefined) continue;
    const param = `${within}${name}.${missing}`;
    throw new ApiError('invalid_request', `${param} is required.`, { param });
  }
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
