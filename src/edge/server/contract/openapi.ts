import type { FastifySchema } from 'fastify';
import { describeNulls, isBodyOptional } from '../rest/schema-rules.ts';
import { exampleOf, resourceKindOfParameter } from './examples.ts';
import type { Operation, OperationRegistry } from './operation-registry.ts';
import { withPlainMaps } from './plain-maps.ts';
import { COMPONENT_SCHEMAS, describeResponses, HEADERS, withExample } from './responses.ts';
import { describeCredential, roleOf, SECURITY_SCHEMES, scopeOf, securityOf } from './security.ts';
import { describeTags, tagName } from './tags.ts';
import { describeWebhooks } from './webhooks.ts';

export { errorCodesOf } from './responses.ts';

export const OPENAPI_VERSION = '3.1.0';
export const INTERFACE_VERSION = '2.3.1';

type Json = Record<string, unknown>;
type ObjectSchema = { properties?: Record<string, Json>; required?: string[] };

export function describeRest(
  { operations, events }: Pick<OperationRegistry, 'operations' | 'events'>,
  baseUrl: string,
): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const item = paths[operation.path] ?? {};
    item[operation.method] = describeOperation(operation);
    paths[operation.path] = item;
  }
  return withPlainMaps({
    openapi: OPENAPI_VERSION,
    info: {
      title: 'Trunkline voice AI platform',
      version: INTERFACE_VERSION,
      description:
        'Speech recognition, speech synthesis, full-duplex voice agents and answering-machine detection behind one API key. /asyncapi.json describes the WebSocket endpoints.',
      contact: { name: 'The operator of this server', url: baseUrl },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: describeTags(operations.flatMap(tagsOf)),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    webhooks: describeWebhooks(events),
    components: { schemas: COMPONENT_SCHEMAS, headers: HEADERS, securitySchemes: SECURITY_SCHEMES },
  }) as Json;
}

function describeOperation(operation: Operation): Json {
  const { schema, config } = operation;
  const parameters = [
    ...parametersIn('path', schema.params, operation.path),
    ...parametersIn('query', schema.querystring),
    ...parametersIn('header', schema.headers),
  ];
  const body = describeBody(schema, config);
  return {
    operationId: schema.operationId ?? operationIdOf(operation),
    tags: tagsOf(operation),
    ...(schema.summary ? { summary: schema.summary } : {}),
    description: descriptionOf(operation),
    security: securityOf(config.access, config.vendor),
    ...(scopeOf(config.access) ? { 'x-required-scope': scopeOf(config.access) } : {}),
    ...(roleOf(config.access) ? { 'x-required-role': roleOf(config.access) } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: describeResponses(operation),
  };
}

function descriptionOf({ schema, config }: Operation): string {
  const said = schema.description ?? `${schema.summary ?? 'No summary'}.`;
  const paged = (schema.querystring as ObjectSchema | undefined)?.properties?.cursor !== undefined;
  const facts = [
    describeCredential(config.access),
    paged ? 'The list is paginated: pass the `next_cursor` of a page as `cursor` to get the next page.' : '',
    config.idempotent ? 'A request repeated with the same `Idempotency-Key` has no second effect.' : '',
    config.meters
      ? 'The request is metered: after validation, the server checks the credit, the spending caps and the concurrency limit.'
      : '',
  ];
  return `${said}\n\n${facts.filter((fact) => fact !== '').join(' ')}`;
}

const tagsOf = ({ schema, surface }: Operation): string[] => (schema.tags ?? [surface]).map(tagName);

const operationIdOf = ({ method, path }: Operation): string =>
  `${method}_${path
    .replace(/[{}]/g, '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')}`;

const pathNames = (path: string): string[] => [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]!);

function parametersIn(place: string, schema: unknown, path?: string): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as ObjectSchema;
  const names = path === undefined ? Object.keys(properties) : pathNames(path);
  return names.map((name) => {
    const { description, ...rest } = properties[name] ?? { type: 'string' };
    const needed = place === 'path' || required.includes(name);
    const within = path === undefined ? {} : { kind: resourceKindOfParameter(path, name) };
    return {
      name,
      in: place,
      required: needed,
      ...(description ? { description } : {}),
      schema: rest,
      ...(needed || Array.isArray(rest.examples) ? { example: exampleOf(rest, false, name, within) } : {}),
    };
  });
}

const BYTES = { schema: { type: 'string', format: 'binary' } };

function describeBody(schema: FastifySchema, config: Operation['config']): Json | undefined {
  const content: Record<string, Json> = {};
  if (schema.body)
    content['application/json'] = withExample(
      'application/json',
      { schema: describeNulls(schema.body) },
      false,
    );
  if (config.form) {
    content['multipart/form-data'] = { schema: config.form, example: exampleOf(config.form, false) };
  }
  for (const type of config.bytes?.types ?? []) content[type] = BYTES;
  if (Object.keys(content).length === 0) return undefined;
  const description = config.bytes?.description;
  const jsonAlone = schema.body !== undefined && config.form === undefined;
  const required = !config.formOptional && !(jsonAlone && isBodyOptional(schema.body));
  return { required, ...(description ? { description } : {}), content };
}
