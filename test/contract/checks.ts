import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'vitest';
import { ERRORS, type ErrorCode } from '../../src/foundation/platform/errors.ts';
import type { Case, ValidRequest } from './case.ts';
import { credentialKind, type DescribedOperation } from './operations.ts';
import { type Answer, OPERATOR_TOKEN, type Sent, type Tenant, type World } from './world.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);

const PLAIN = new Set([401, 402, 403, 429]);

export const credential = (operation: DescribedOperation, tenant: Tenant): Record<string, string> => {
  switch (credentialKind(operation)) {
    case 'key':
      return { authorization: `Bearer ${tenant.key}` };
    case 'session':
      return { authorization: `Bearer ${tenant.session}` };
    case 'operator':
      return { authorization: `Bearer ${OPERATOR_TOKEN}` };
    case 'none':
      return {};
  }
};

export function urlOf(
  operation: DescribedOperation,
  good: ValidRequest,
  extraQuery: Record<string, string> = {},
): string {
  const path = operation.path.replace(/\{([^}]+)\}/g, (_all, name) =>
    encodeURIComponent(good.path?.[name] ?? 'x'),
  );
  const query = new URLSearchParams({ ...good.query, ...extraQuery }).toString();
  return query === '' ? path : `${path}?${query}`;
}

export function sentOf(
  operation: DescribedOperation,
  good: ValidRequest,
  headers: Record<string, string>,
): Sent {
  const base = { method: operation.method };
  if (good.json !== undefined) {
    return {
      ...base,
      headers: { ...headers, ...good.headers, 'content-type': 'application/json' },
      body: JSON.stringify(good.json),
    };
  }
  if (good.form) return { ...base, headers: { ...headers, ...good.headers }, body: good.form() };
  return { ...base, headers: { ...headers, ...good.headers } };
}

export function checkAnswer(operation: DescribedOperation, answer: Answer): void {
  expect(answer.headers.get('x-request-id'), 'x-request-id').toMatch(/^req_[0-9A-Za-z]{20}$/);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(operation.responses, `${operation.name} answered ${answer.status}`).toHaveProperty([
    String(answer.status),
  ]);
  if (answer.status >= 400 && operation.path !== '/readyz') checkError(operation, answer);
}

function checkError(operation: DescribedOperation, answer: Answer): void {
  expect(answer.status, answer.text).not.toBe(500);
  const { json } = answer;
  const error = json?.error as { code: ErrorCode; message: string; type: string; param: string | null };
  expect(error, answer.text).toBeDefined();
  const entry = ERRORS[error.code];
  expect(entry, error.code).toBeDefined();
  expect(error).toEqual({
    code: error.code,
    type: entry.type,
    message: expect.any(String),
    param: error.param ?? null,
  });
  expect(answer.status).toBe(entry.status);
  const envelope = answer.headers.get('content-type') ?? '';
  if (PLAIN.has(answer.status)) expect(['error', 'error,detail']).toContain(Object.keys(json ?? {}).join());
  else if (envelope.includes('problem+json')) {
    expect(json).toMatchObject({ status: answer.status, request_id: answer.headers.get('x-request-id') });
    expect(String(json?.type)).toMatch(new RegExp(`/problems/${error.code}$`));
  }
  if (answer.status === 429 || answer.status === 503) {
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  }
  const described = operation.responses[String(answer.status)];
  expect(described, `${answer.status} ${error.code} is not described`).toBeDefined();
  checkHeaders(described?.headers as Record<string, object>, answer);
  expect(described?.['x-error-codes'], `${error.code} is not described`).toContain(error.code);
}

export function checkSuccess(operation: DescribedOperation, answer: Answer): void {
  expect(answer.status, answer.text.slice(0, 500)).toBeLessThan(300);
  const described = operation.responses[String(answer.status)] as {
    content?: Record<string, { schema?: object }>;
    headers?: Record<string, object>;
  };
  expect(described, `${answer.status} is not described`).toBeDefined();
  const type = (answer.headers.get('content-type') ?? '').split(';')[0]!;
  checkHeaders(described.headers ?? {}, answer);
  if (answer.status === 204) return;
  expect(described.content, `${operation.name} ${answer.status} has no content`).toBeDefined();
  const content = described.content ?? {};
  expect(Object.keys(content)).toContain(type);
  const schema = content[type]?.schema;
  if (schema && answer.json) {
    const valid = ajv.validate(schema, answer.json);
    expect(valid, ajv.errorsText()).toBe(true);
  }
}

const CONTRACTED = /^(x-svc-|x-request-id$|ratelimit|retry-after$)/;

function checkHeaders(described: Record<string, object>, { headers }: Answer): void {
  const known = Object.keys(described).map((name) => name.toLowerCase());
  const sent = [...headers.keys()].filter((name) => CONTRACTED.test(name));
  for (const name of sent) expect(known, `the header ${name} is not described`).toContain(name);
  for (const name of ['x-request-id', 'ratelimit', 'ratelimit-policy']) {
    if (known.includes(name)) expect(headers.has(name), `${name} is described and not sent`).toBe(true);
  }
}

/** A request for another organization's resource gets the same answer as for an id that does not exist. */
export async function checkForeign(world: World, operation: DescribedOperation, one: Case): Promise<void> {
  const good = await one.good(world, world.theirs);
  const mine = await one.good(world, world.ours);
  const headers = { ...credential(operation, world.ours), ...(mine.headers ?? {}) };
  const ask = (path: ValidRequest['path']) =>
    world.send(urlOf(operation, { ...good, path }), sentOf(operation, { ...good, headers: {} }, headers));
  const foreign = await ask(good.path);
  const unknownPath = Object.fromEntries(
    Object.entries(good.path ?? {}).map(([name, value]) => [
      name,
      value.replace(/_[0-9A-Za-z]{20}$/, `_${'0'.repeat(20)}`),
    ]),
  );
  const unknown = await ask(unknownPath);
  checkAnswer(operation, foreign);
  expect(foreign.status).toBe(404);
  expect(comparable(foreign, good.path)).toEqual(comparable(unknown, unknownPath));
}

const comparable = (answer: Answer, path: ValidRequest['path']): unknown => {
  let text = answer.text;
  for (const value of Object.values(path ?? {})) text = text.replaceAll(value, '…');
  return { status: answer.status, body: text.replaceAll(answer.headers.get('x-request-id') ?? '-', 'req') };
};
