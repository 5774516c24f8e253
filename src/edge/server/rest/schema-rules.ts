import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, preValidationAsyncHookHandler, RouteOptions } from 'fastify';
import { isMergePatch, orNull, takesNull } from '../../../foundation/platform/merge-patch.ts';
import { unknownField } from './validation-error.ts';

type Schema = { [key: string]: unknown };

const BRANCHES = ['properties', 'patternProperties', '$defs'] as const;
const LISTS = ['anyOf', 'oneOf', 'prefixItems'] as const;

/** Closes objects to unknown fields, unless their schema sets `additionalProperties` itself. The parts of an `allOf` stay
 * open, since each sees the fields of the others. */
export function closed<T>(schema: T): T {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  const source = schema as unknown as Schema;
  const result: Schema = { ...source };
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

/** Rejects the fields of a body that the route ignores: a client that sends them expects an effect. */
const noBody: preValidationAsyncHookHandler = async (request) => {
  const { body } = request;
  if (typeof body !== 'object' || body === null || request.routeOptions.config.bytes !== undefined) return;
  const [name] = Object.keys(body);
  if (name !== undefined) throw unknownField(name);
};

/** Removes nulls of optional fields that do not accept null, except from merge patches, where null deletes a value. */
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

export function describeNulls<T>(schema: T): T {
  if (typeof schema !== 'object' || schema === null) return schema;
  const { properties, required = [], items } = schema as Schema & { required?: string[] };
  const said: Schema = { ...(schema as Schema) };
  if (typeof items === 'object') said.items = describeNulls(items);
  if (typeof properties === 'object')
    said.properties = Object.fromEntries(
      Object.entries(properties as Record<string, Schema>).map(([name, inner]) => {
        const described = describeNulls(inner);
        const optional = !isMergePatch(schema) && !required.includes(name);
        return [name, optional ? orNull(described as Schema) : described];
      }),
    );
  return said as T;
}

export function isBodyOptional(body: unknown): boolean {
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

export const hasEmptyBody = ({
  'content-length': length,
  'transfer-encoding': encoding,
}: IncomingHttpHeaders): boolean => encoding === undefined && (length === undefined || Number(length) === 0);

/** Throws at start-up for a PATCH that would answer 200 to null and change nothing. */
function requireNullDescription(url: string, body: unknown): void {
  const { properties = {}, required = [] } = (body ?? {}) as Schema & { required?: readonly string[] };
  const silent = Object.entries(properties as Record<string, Schema>).find(
    ([name, inner]) => !isMergePatch(body) && !required.includes(name) && !takesNull(inner),
  );
  if (silent !== undefined)
    throw new Error(`PATCH ${url}: null in ${silent[0]} does nothing; describe the body with mergePatchOf.`);
}

/** Applies these rules to every route, before the validators and the OpenAPI description read its schema. */
export function registerSchemaRules(app: FastifyInstance): void {
  app.addHook('onRoute', (route: RouteOptions) => {
    const schema = { ...(route.schema ?? {}) };
    schema.querystring = closed(schema.querystring ?? NO_QUERY);
    const { body } = schema;
    if ([route.method].flat().includes('PATCH')) requireNullDescription(route.url, body);
    if (body !== undefined) {
      schema.body = closed(body);
      const optional = isBodyOptional(body) && route.config?.form === undefined;
      const absent: preValidationAsyncHookHandler = async (request) => {
        if (optional && request.body === undefined && hasEmptyBody(request.headers)) request.body = {};
        withoutNulls(body, request.body);
      };
      route.preValidation = [absent, ...[route.preValidation ?? []].flat()];
    } else route.preValidation = [noBody, ...[route.preValidation ?? []].flat()];
    route.schema = schema;
  });
}
