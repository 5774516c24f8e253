import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import type { TSchema } from 'typebox';
import type { Requirement, Role } from '../../access/contract.ts';
import { ERRORS, type ErrorCode } from '../../platform/errors.ts';

declare module 'fastify' {
  interface FastifySchema {
    /** Leaves the route out of the description. */
    hide?: boolean;
    summary?: string;
    description?: string;
    operationId?: string;
    tags?: readonly string[];
  }
  interface FastifyContextConfig {
    /** The fields of a multipart form that the route reads with `readForm`; files are `Type.Unsafe` with `format: binary`. */
    form?: TSchema;
    /** The form is one of two bodies that the route takes. */
    formOptional?: boolean;
  }
}

export const OPENAPI_VERSION = '3.1.0';
export const INTERFACE_VERSION = '2.3.1';

type Json = Record<string, unknown>;
type ObjectSchema = { properties?: Record<string, Json>; required?: string[] };

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly surface: string;
  readonly schema: FastifySchema;
  readonly config: NonNullable<RouteOptions['config']>;
}

/** Gathers every route as it is registered; `surface` names who registers now. */
export class OperationBook {
  readonly operations: Operation[] = [];
  surface = 'platform';

  gather(app: FastifyInstance): void {
    app.addHook('onRoute', (route: RouteOptions) => {
      if (route.schema?.hide) return;
      for (const method of [route.method].flat()) {
        if (method === 'HEAD' || method === 'OPTIONS') continue;
        this.operations.push({
          method: method.toLowerCase(),
          path: openPath(route.url),
          surface: this.surface,
          schema: route.schema ?? {},
          config: route.config ?? {},
        });
      }
    });
  }
}

const openPath = (url: string): string => url.replace(/:([A-Za-z_]+)/g, '{$1}').replace(/\*$/, '{path}');

export function describeRest(operations: readonly Operation[], baseUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const item = paths[operation.path] ?? {};
    item[operation.method] = describeOperation(operation);
    paths[operation.path] = item;
  }
  return {
    openapi: OPENAPI_VERSION,
    info: {
      title: 'Trunkline voice AI platform',
      version: INTERFACE_VERSION,
      description:
        'Recognition, speech, full-duplex agents and answering-machine detection behind one key. ' +
        'WebSocket routes are described by /asyncapi.json.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(operations.flatMap(tagsOf))].map((name) => ({ name })),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: { schemas: COMPONENT_SCHEMAS, securitySchemes: SECURITY_SCHEMES },
  };
}

function describeOperation(operation: Operation): Json {
  const { schema, config } = operation;
  const parameters = [
    ...parametersIn('path', schema.params, pathNames(operation.path)),
    ...parametersIn('query', schema.querystring),
    ...parametersIn('header', schema.headers),
  ];
  const body = describeBody(schema, config);
  return {
    operationId: schema.operationId ?? operationIdOf(operation),
    tags: tagsOf(operation),
    ...(schema.summary ? { summary: schema.summary } : {}),
    ...(schema.description ? { description: schema.description } : {}),
    security: securityOf(config.access),
    ...(scopeOf(config.access) ? { 'x-required-scope': scopeOf(config.access) } : {}),
    ...(roleOf(config.access) ? { 'x-required-role': roleOf(config.access) } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: {
      ...describeResponses(schema),
      ...describeErrors(operation),
    },
  };
}

const tagsOf = ({ schema, surface }: Operation): readonly string[] => schema.tags ?? [surface];

const operationIdOf = ({ method, path }: Operation): string =>
  `${method}_${path
    .replace(/[{}]/g, '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')}`;

const pathNames = (path: string): string[] => [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]!);

function parametersIn(place: string, schema: unknown, names?: readonly string[]): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as ObjectSchema;
  return (names ?? Object.keys(properties)).map((name) => {
    const { description, ...rest } = properties[name] ?? { type: 'string' };
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description ? { description } : {}),
      schema: rest,
    };
  });
}

function describeBody(schema: FastifySchema, config: Operation['config']): Json | undefined {
  const content: Json = {};
  if (schema.body) content['application/json'] = { schema: schema.body };
  if (config.form) content['multipart/form-data'] = { schema: config.form };
  if (Object.keys(content).length === 0) return undefined;
  return { required: !config.formOptional, content };
}

function describeResponses(schema: FastifySchema): Json {
  const responses: Json = {};
  for (const [status, said] of Object.entries((schema.response ?? {}) as Record<string, Json>)) {
    const description = String(said.description ?? 'Success');
    if (said.content) responses[status] = said.description ? said : { description, ...said };
    else if (said.type === 'null') responses[status] = { description };
    else responses[status] = { description, content: { 'application/json': { schema: said } } };
  }
  return Object.keys(responses).length > 0 ? responses : { 200: { description: 'Success' } };
}

/** The codes that the edge itself can answer with, and those the route names. Every route refuses a query parameter
 * that it does not know. */
export function errorCodesOf(operation: Operation): ErrorCode[] {
  const kind = operation.config.access?.kind;
  const codes = new Set<ErrorCode>([...(operation.config.errors ?? []), 'invalid_request']);
  if (operation.schema.body ?? operation.config.form)
    codes.add('payload_too_large').add('unsupported_media_type');
  if (operation.path.includes('{')) codes.add('not_found');
  if (kind !== 'public' && kind !== 'signed') {
    codes.add('unauthorized').add('missing_api_key').add('invalid_api_key');
    codes.add('forbidden').add('rate_limit_exceeded');
  }
  return [...codes.add('internal_error').add('unavailable')];
}

function describeErrors(operation: Operation): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(operation)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const described: Json = {};
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    described[status] = describeError(status, codes, operation.config.envelope === 'error');
  }
  return described;
}

function describeError(status: number, codes: readonly ErrorCode[], envelopeOnly: boolean): Json {
  const plain = envelopeOnly || [401, 402, 403, 429].includes(status);
  const type = plain ? 'application/json' : 'application/problem+json';
  const name = plain ? 'Error' : 'Problem';
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}`).join('; '),
    'x-error-codes': codes,
    content: { [type]: { schema: { $ref: `#/components/schemas/${name}` } } },
  };
}

const scopeOf = (access: Requirement | undefined): string | undefined =>
  access?.kind === 'key' || access?.kind === 'member' ? access.scope : undefined;

/** The least role with which a signed-in person may call; those that nobody signs in for have none. */
const roleOf = (access: Requirement | undefined): Role | undefined =>
  access?.kind === 'user' || access?.kind === 'member' ? (access.role ?? 'analyst') : undefined;

function securityOf(access: Requirement | undefined): Json[] {
  switch (access?.kind) {
    case 'key':
      return [{ bearer: [] }, { apiKey: [] }];
    case 'member':
      return [{ bearer: [] }, { apiKey: [] }, { session: [] }];
    case 'user':
      return [{ session: [] }];
    case 'operator':
      return [{ operator: [] }];
    default:
      return [];
  }
}

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key.' },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The same key in a header of its own.',
  },
  session: { type: 'http', scheme: 'bearer', description: 'The token of a signed-in user.' },
  operator: { type: 'http', scheme: 'bearer', description: 'The token of whoever runs the server.' },
};

const ERROR_MEMBER = {
  type: 'object',
  required: ['message', 'type', 'code', 'param'],
  properties: {
    message: { type: 'string', description: 'For people; branch on the code.' },
    type: { enum: [...new Set(Object.values(ERRORS).map((entry) => entry.type))] },
    code: { enum: Object.keys(ERRORS) },
    param: { type: ['string', 'null'], description: 'The field, query parameter or scope at fault.' },
  },
};

const COMPONENT_SCHEMAS = {
  Error: { type: 'object', required: ['error'], properties: { error: ERROR_MEMBER } },
  Problem: {
    type: 'object',
    required: ['type', 'title', 'status', 'detail', 'request_id', 'error'],
    properties: {
      type: { type: 'string', format: 'uri', description: 'Its last path segment is the code.' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
      request_id: { type: 'string' },
      error: ERROR_MEMBER,
    },
  },
};
