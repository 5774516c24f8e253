import { ERRORS, type ErrorCode } from '../../../foundation/platform/errors.ts';
import { exampleOf } from './examples.ts';
import type { Operation } from './operation-registry.ts';

type Json = Record<string, unknown>;

const METERED: readonly ErrorCode[] = [
  'credit_exhausted',
  'key_budget_exceeded',
  'insufficient_quota',
  'daily_cap_exceeded',
  'concurrency_limit_exceeded',
  'capacity',
];

const isOpen = ({ config }: Operation): boolean =>
  config.access?.kind === 'public' || config.access?.kind === 'signed';

/** Lists the codes of the edge and of the route. Every route may answer `invalid_request`, since all reject unknown query
 * parameters. */
export function errorCodesOf(operation: Operation): ErrorCode[] {
  const { config, method, path } = operation;
  const codes = new Set<ErrorCode>([...(config.errors ?? []), 'invalid_request']);
  if (method !== 'get') codes.add('payload_too_large').add('unsupported_media_type');
  const isEntitled = config.access?.kind === 'key' && config.access.entitlement !== undefined;
  if (path.includes('{') || isEntitled) codes.add('not_found');
  if (!isOpen(operation))
    codes.add('unauthorized').add('missing_api_key').add('invalid_api_key').add('forbidden');
  if (!isOpen(operation) && config.access?.kind !== 'operator') codes.add('rate_limit_exceeded');
  if (takesOrigin(config.access)) codes.add('origin_not_allowed');
  if (config.meters) for (const code of METERED) codes.add(code);
  return [...codes.add('headers_too_large').add('internal_error').add('unavailable')];
}

/**
 * A session's cookie and a browser's token are valid only for some origins, so these routes may answer with an origin
 * error.
 */
const takesOrigin = (access: Operation['config']['access']): boolean =>
  access?.kind === 'user' ||
  access?.kind === 'member' ||
  (access?.kind === 'key' && (access.browser || access.grant) === true);

export const describeResponses = (operation: Operation): Json => ({
  ...successes(operation),
  ...errors(operation),
});

function successes(operation: Operation): Json {
  const said = Object.entries((operation.schema.response ?? {}) as Record<string, Json>);
  const responses: Json = {};
  for (const [status, one] of said) responses[status] = success(operation, one);
  return said.length > 0 ? responses : { 200: { description: 'Success.', headers: headersOf(operation) } };
}

function success(operation: Operation, said: Json): Json {
  const description = String(said.description ?? 'Success');
  const headers = { ...headersOf(operation), ...(said.headers as Json | undefined) };
  if (said.type === 'null') return { description, headers };
  const content = (said.content ?? { 'application/json': { schema: said } }) as Record<string, Json>;
  return {
    description,
    headers,
    content: Object.fromEntries(
      Object.entries(content).map(([type, media]) => [type, withExample(type, media)]),
    ),
  };
}

export function withExample(type: string, media: Json, whole = true): Json {
  if (media.example !== undefined || media.examples !== undefined || !/json\b/.test(type)) return media;
  if (media.schema === undefined || type.includes('ndjson')) return media;
  return { ...media, example: exampleOf(media.schema, whole) };
}

const RATES = {
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimit-Policy' },
};

const ID = { 'x-request-id': { $ref: '#/components/headers/x-request-id' } };
/** The listener rejects these requests before authentication, so they carry no rate-limit headers. */
const UNREAD = 431;

const headersOf = (operation: Operation): Json => ({
  ...ID,
  ...(isOpen(operation) || operation.config.access?.kind === 'operator' ? {} : RATES),
});

function errors(operation: Operation): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(operation)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const described: Json = {};
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    if (described[status] === undefined) described[status] = refusal(operation, status, codes);
  }
  return described;
}

function refusal(operation: Operation, status: number, codes: readonly ErrorCode[]): Json {
  const { envelope } = operation.config;
  const plain = envelope === 'error' || (envelope !== 'problem' && [401, 402, 403, 429].includes(status));
  const retry = status === 429 || status === 503;
  const schema = { $ref: `#/components/schemas/${plain ? 'Error' : 'Problem'}` };
  const examples = Object.fromEntries(codes.map((code) => [code, { value: refusalExample(code, plain) }]));
  const given = (operation.schema.response as Record<string, Json> | undefined)?.[String(status)];
  const own = given && { 'application/json': withExample('application/json', { schema: given }) };
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}`).join('; '),
    'x-error-codes': codes,
    headers: {
      ...(status === UNREAD ? ID : headersOf(operation)),
      ...(retry ? { 'Retry-After': { $ref: '#/components/headers/Retry-After' } } : {}),
    },
    content: { ...own, [plain ? 'application/json' : 'application/problem+json']: { schema, examples } },
  };
}

function refusalExample(code: ErrorCode, plain: boolean): Json {
  const { status, type, title, cause, remedy } = ERRORS[code];
  const message = `${cause} ${remedy}`;
  const error = { message, type, code, param: null };
  if (plain) return { error };
  const request_id = 'req_4fT9bQw2LmXc7RzK1hVd';
  return {
    type: `https://example.com/problems/${code}`,
    title,
    status,
    detail: message,
    request_id,
    error,
  };
}

export const HEADERS = {
  'x-request-id': {
    description: 'The ID of the request. Quote it in support requests.',
    required: true,
    schema: { type: 'string', pattern: '^req_[0-9A-Za-z]{20}$' },
    example: 'req_4fT9bQw2LmXc7RzK1hVd',
  },
  RateLimit: {
    description: 'The remaining requests (`r`), and the seconds until the limit is fully replenished (`t`).',
    schema: { type: 'string' },
    example: '"key";r=9;t=1',
  },
  'RateLimit-Policy': {
    description: 'The applicable rate limit: requests (`q`) per window in seconds (`w`).',
    schema: { type: 'string' },
    example: '"key";q=10;w=2',
  },
  'Retry-After': {
    description: 'Seconds to wait before you repeat the request.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
};

const ERROR_MEMBER = {
  type: 'object',
  required: ['message', 'type', 'code', 'param'],
  properties: {
    message: { type: 'string', description: 'A message for humans. Programs should branch on `code`.' },
    type: { enum: [...new Set(Object.values(ERRORS).map((entry) => entry.type))] },
    code: { enum: Object.keys(ERRORS) },
    param: {
      type: ['string', 'null'],
      description: 'The field, query parameter or scope that caused the error.',
    },
    node: {
      type: 'string',
      description:
        'Set for the code `capacity`: the address of another node that has capacity, if the operator publishes one.',
    },
  },
};

export const COMPONENT_SCHEMAS = {
  Error: {
    type: 'object',
    required: ['error'],
    properties: {
      error: ERROR_MEMBER,
      detail: { type: 'string', description: 'Set for a limit by source network: the limit and its window.' },
    },
  },
  Problem: {
    type: 'object',
    required: ['type', 'title', 'status', 'detail', 'request_id', 'error'],
    properties: {
      type: {
        type: 'string',
        format: 'uri',
        description: 'A URI whose last path segment is the error code.',
      },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
      request_id: { type: 'string' },
      error: ERROR_MEMBER,
    },
  },
};
