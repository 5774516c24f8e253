// @requirement API contract: Unknown, malformed and overlong ids get one answer.
// @requirement API contract: `POST /v1/sandbox/keys` takes an empty body of any type.
// @requirement API contract: Optional fields take `null`, and an absent body counts as empty.
import Type from 'typebox';
import { expect, it } from 'vitest';
import type { Surface } from '../../../src/edge/server/surface.ts';
import { bearer, start } from './fixtures/start.ts';

const Body = Type.Object({
  name: Type.String({ minLength: 3 }),
  note: Type.Optional(Type.String({ maxLength: 5 })),
  cleared: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  inner: Type.Optional(Type.Object({ size: Type.Optional(Type.Integer({ minimum: 1 })) })),
});

const echo: Surface = {
  name: 'echo',
  routes: (app) => {
    const access = { kind: 'key' } as const;
    app.post('/v1/echo', {
      config: { access },
      schema: { body: Body, response: { 200: Type.Object({}, { additionalProperties: true }) } },
      handler: async (request) => ({ got: request.body }),
    });
    app.post('/v1/nothing', { config: { access }, handler: async () => ({ done: true }) });
    app.get('/v1/things/:id', {
      config: { access },
      schema: { params: Type.Object({ id: Type.String({ pattern: '^thing_' }) }) },
      handler: async () => ({}),
    });
  },
};

async function ask(path: string, init: RequestInit = {}) {
  const { url } = await start({ surfaces: [echo] });
  const response = await fetch(`${url}${path}`, { ...init, headers: { ...bearer, ...init.headers } });
  return {
    status: response.status,
    body: (await response.json()) as { [name: string]: unknown; error: { message: string } },
  };
}

const post = (body: object) =>
  ask('/v1/echo', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

it('takes null in an optional field for nothing, and keeps it where null says something', async () => {
  const { body } = await post({ name: 'Ada', note: null, cleared: null, inner: { size: null } });
  expect(body.got).toEqual({ name: 'Ada', cleared: null, inner: {} });
  expect((await post({ name: null })).status).toBe(400);
});

it('says of an optional field that null may be sent', async () => {
  const { url } = await start({ surfaces: [echo] });
  // biome-ignore lint/suspicious/noExplicitAny: a description of every shape.
  const described = (await (await fetch(`${url}/openapi.json`)).json()) as any;
  const { properties } = described.paths['/v1/echo'].post.requestBody.content['application/json'].schema;
  expect(properties).toMatchObject({
    name: { type: 'string' },
    note: { anyOf: [{ type: 'string', maxLength: 5 }, { type: 'null' }] },
    inner: { anyOf: [{ properties: { size: { anyOf: [{ type: 'integer' }, { type: 'null' }] } } }, {}] },
  });
});

it.each([
  [{ name: 'A' }, 'name must have at least 3 characters, received 1.'],
  [{ name: 'Ada', note: 'too long' }, 'note must have at most 5 characters, received 8.'],
  [{ name: 3 }, 'name must be a string, received 3.'],
  [{ name: 4915112345678 }, 'name must be a string, received a number.'],
  [{ name: 'Ada', inner: { size: 0 } }, 'inner.size must be at least 1, received 0.'],
  [{ name: 'Ada', inner: { size: 1.5 } }, 'inner.size must be a whole number, received 1.5.'],
  [{ note: 'x' }, 'name is required.'],
])('says what is wrong with %j as a person would', async (sent, message) => {
  expect((await post(sent)).body.error.message).toBe(message);
});

it.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'application/xml'])(
  'takes no body of type %s for no body',
  async (type) => {
    expect(
      (await ask('/v1/nothing', { method: 'POST', headers: { 'content-type': type }, body: '' })).status,
    ).toBe(200);
  },
);

it('does not read another type', async () => {
  const { status } = await ask('/v1/nothing', {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: 'x',
  });
  expect(status).toBe(415);
});

it('knows no malformed id from an unknown one', async () => {
  for (const id of ['x', 'y'.repeat(3000), '%00']) {
    expect(await ask(`/v1/things/${id}`)).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
  }
});

it('refuses JSON of too many values before it is parsed', async () => {
  const { url } = await start({ surfaces: [echo] });
  const send = async (body: string) => {
    const headers = { ...bearer, 'content-type': 'application/json' };
    const response = await fetch(`${url}/v1/echo`, { method: 'POST', headers, body });
    const answer = (await response.json()) as { error?: { message: string } };
    return { status: response.status, message: answer.error?.message };
  };
  const many = (value: string, count: number) =>
    `{"name":"Ada","all":[${Array(count).fill(value).join(',')}]}`;
  for (const body of [many('{}', 150_100), many('1', 300_000), many('[]', 150_100)]) {
    expect(await send(body)).toEqual({ status: 400, message: expect.stringContaining('too many values') });
  }
  expect((await send(many('{}', 140_000))).message).not.toContain('too many values');
  // A string counts as one value, whatever it contains.
  for (const text of [',[{'.repeat(150_000), '\\"['.repeat(150_000), '\\\\'.repeat(400_000)]) {
    expect((await send(`{"name":"${text}"}`)).status).toBe(200);
  }
});
