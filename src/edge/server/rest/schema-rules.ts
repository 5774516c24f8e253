import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, preValidationAsyncHookHandler, RouteOptions } from 'fastify';
import { isMergePatch, orNull, takesNull } from '../../../foundation/platform/merge-patch.ts';
import { unknownField } from './validation-error.ts';

type Schema = { [key: string]: unknown };

const BRANCHES = ['properties', 'patternProperties', '$defs'] as const;
const LISTS = ['anyOf', 'oneOf', 'prefixItems'] as const;

/** Objects take only what they declare, unless their schema says `additionalProperties` itself: an unknown field
 * is an error that names it. Parts of an `allOf` are left open, since each sees the others' fields. */
export function closed<T>(schema: T): T {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  const source = schema as unknown as Schema;
  const result: Schema = { ...source };
  // Symbols and getters of the schema library survive in the prototype-free copy only if copied by descriptor.
  for (const key of BRANCHES) {
    const branch = source[key];
    if (typeof branch === 'object' && branch !== null) {
      result[key] = Object.fromEntries(Object.entries(branch).map(([name, inner]) => [name, closed(inner)]));
    }
  }
  for (const key of LISTS) {
    const list = source[key];
    if (Array.isArray(list)) result[key] = list.map(closed);
  }
  if (typeof source.items === 'object') result.items = closed(source.items);
  if (
    source.type === 'object' &&
    source.properties !== undefined &&
    source.additionalProperties === undefined
  ) {
    result.additionalProperties = false;
  }
  return result as T;
}

const NO_QUERY = { type: 'object', properties: {}, additionalProperties: false };

/** A route that reads no body takes none that says something: whoever sends it expects an effect. */
const noBody: preValidationAsyncHookHandler = async (request) => {
  const { body } = request;
  if (typeof body !== 'object' || body === null || request.routeOptions.config.bytes !== undefined) return;
  const [name] = Object.keys(body);
  if (name !== undefined) throw unknownField(name);
};

/** `null` in an optional field that takes none means that it is absent, except where it would remove what is there. */
export function withoutNulls(schema: unknown, value: unknown): void {
  if (typeof value !== 'object' || value === null || typeof schema !== 'object' || schema === null) return;
  const { properties = {}, required = [], items } = schema as Schema & { required?: string[] };
  if (Array.isArray(value)) {
    for (const item of value) withoutNulls(items, item);
    return;
  }
  for (const [name, inner] of Object.entries(properties as Record<string, Schema>)) {
    if (!Object.hasOwn(value, name)) continue;
    const given = (value as Schema)[name];
    if (given !== null) withoutNulls(inner, given);
    else if (!isMergePatch(schema) && !required.includes(name) && !takesNull(inner))
      delete (value as Schema)[name];
  }
}

/** A body as its description says it: where `withoutNulls` takes null for absent, null may be sent. */
export function withNullsSaid<T>(schema: T): T {
  if (typeof schema !== 'object' || schema === null) return schema;
  const { properties, required = [], items } = schema as Schema & { required?: string[] };
  const said: Schema = { ...(schema as Schema) };
  if (typeof items === 'object') said.items = withNullsSaid(items);
  if (typeof properties === 'object')
    said.properties = Object.fromEntries(
      Object.entries(properties as Record<string, Schema>).map(([name, inner]) => {
        const described = withNullsSaid(inner);
        const optional = !isMergePatch(schema) && !required.includes(name);
        return [name, optional ? orNull(described as Schema) : described];
      }),
    );
  return said as T;
}

/** Whether no body says the same as an empty one: every field may be absent. */
export function mayBeAbsent(body: unknown): boolean {
  const {
    type,
    required = [],
    minProperties = 0,
  } = (body ?? {}) as Schema & {
    required?: readonly string[];
    minProperties?: number;
  };
  return type === 'object' && required.length === 0 && minProperties === 0;
}

export const sendsNothing = ({
  'content-length': length,
  'transfer-encoding': encoding,
}: IncomingHttpHeaders): boolean => encoding === undefined && (length === undefined || Number(length) === 0);

/** A PATCH in which null means that a field was left out would answer 200 and change nothing. */
function mustSayWhatNullDoes(url: string, body: unknown): void {
  const { properties = {}, required = [] } = (body ?? {}) as Schema & { required?: readonly string[] };
  const silent = Object.entries(properties as Record<string, Schema>).find(
    ([name, inner]) => !isMergePatch(body) && !required.includes(name) && !takesNull(inner),
  );
  if (silent !== undefined)
    throw new Error(`PATCH ${url}: null in ${silent[0]} does nothing; describe the body with mergePatchOf.`);
}

/** Applies `closed` to what a route reads, before the validators and the OpenAPI description see it. */
export function registerSchemaRules(app: FastifyInstance): void {
  app.addHook('onRoute', (route: RouteOptions) => {
    const schema = { ...(route.schema ?? {}) };
    schema.querystring = closed(schema.querystring ?? NO_QUERY);
    const { body } = schema;
    if ([route.method].flat().includes('PATCH')) mustSayWhatNullDoes(route.url, body);
    if (body !== undefined) {
      schema.body = closed(body);
      const optional = mayBeAbsent(body) && route.config?.form === undefined;
      const absent: preValidationAsyncHookHandler = async (request) => {
        if (optional && request.body === undefined && sendsNothing(request.headers)) request.body = {};
        withoutNulls(body, request.body);
      };
      route.preValidation = [absent, ...[route.preValidation ?? []].flat()];
    } else route.preValidation = [noBody, ...[route.preValidation ?? []].flat()];
    route.schema = schema;
  });
}
