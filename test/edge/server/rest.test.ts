// @requirement API contract: Optional fields take `null`, and an absent body counts as empty.
// @requirement API contract: Errors are written for people.
// @requirement API conventions: Lists, errors, request ids, CORS and methods follow one convention on every route.
// @requirement Errors: Errors come in the `error` envelope or as problem+json, with a stable code and the field.
import { once } from 'node:events';
import http from 'node:http';
import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { toApiError } from '../../../src/edge/server/rest/error-handler.ts';
import type { Surface } from '../../../src/edge/server/surface.ts';
import { ERRORS, NoSuchError } from '../../../src/foundation/platform/errors.ts';
import { OneKeyAccess } from './fixtures/access.ts';
import { bearer, start } from './fixtures/start.ts';

const things: Surface = {
  name: 'things',
  routes: (app) => {
    app.get('/v1/things', {
      config: { access: { kind: 'key', scope: 'things:read' } },
      schema: {
        querystring: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })) }),
      },
      handler: async (request) => ({ query: request.query, org: request.caller().orgId }),
    });
    app.post('/v1/plain', {
      config: { access: { kind: 'key' } },
      handler: async () => ({ done: true }),
    });
    app.post('/v1/things', {
      config: { access: { kind: 'key' } },
      schema: {
        body: Type.Object({
          name: Type.String({ minLength: 2 }),
          kind: Type.Optional(Type.Enum(['a', 'b'])),
          inner: Type.Optional(Type.Object({ deep: Type.Integer() })),
        }),
      },
      handler: async (request, reply) => {
        await request.admit('speak.speech');
        return reply.code(201).send(request.body);
      },
    });
    app.get('/v1/things/:id', {
      config: { access: { kind: 'key' }, envelope: 'error' },
      schema: { params: Type.Object({ id: Type.String() }) },
      handler: async () => {
        throw new NoSuchError('thing');
      },
    });
    app.get('/v1/broken', {
      config: { access: { kind: 'public' } },
      handler: async () => {
        throw new Error('the secret inside');
      },
    });
    app.get('/v1/shared', {
      config: { access: { kind: 'public' }, cors: true },
      handler: async () => ({ ok: true }),
    });
  },
};

const serve = (access = new OneKeyAccess()) => start({ surfaces: [things], access });

const json = { ...bearer, 'content-type': 'application/json' };

describe('error edge', () => {
  it('answers an unknown route with a 404 problem that carries an error member', async () => {
    const { url } = await serve();
    const response = await fetch(`${url}/nowhere?x=1`);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toMatch('application/problem+json');
    const body = (await response.json()) as Record<string, unknown>;
    expect(body).toMatchObject({
      type: `${url}/problems/not_found`,
      status: 404,
      request_id: response.headers.get('x-request-id'),
      error: { code: 'not_found', type: 'not_found_error', param: null },
    });
  });

  it('answers a wrong method with 405 and Allow', async () => {
    const { url } = await serve();
    const response = await fetch(`${url}/v1/things/x`, { method: 'PUT' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
  });

  it('lists the methods of a path itself, not those of a sibling that would take its name for an id', async () => {
    const { url } = await start({
      surfaces: [
        {
          name: 'siblings',
          routes: (app) => {
            const config = { access: { kind: 'public' } } as const;
            const schema = { summary: 'x', params: Type.Object({ id: Type.String() }) };
            app.get('/v1/bases/defaults', { config, schema: { summary: 'x' } }, async () => ({}));
            app.delete('/v1/bases/:id', { config, schema }, async () => ({}));
          },
        },
      ],
    });
    for (const method of ['DELETE', 'PUT']) {
      const response = await fetch(`${url}/v1/bases/defaults`, { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
    const other = await fetch(`${url}/v1/bases/one`, { method: 'PUT' });
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'DELETE']);
  });

  it('answers a method that HTTP does not know as any wrong one', async () => {
    const { port } = await serve();
    const statusOf = async (path: string) => {
      const request = http.request({ port, path, method: 'FOO' }).end();
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      response.resume();
      return [response.statusCode, response.headers.allow];
    };
    expect(await statusOf('/v1/things/x')).toEqual([405, 'GET, HEAD']);
    expect(await statusOf('/nowhere')).toEqual([404, undefined]);
  });

  it.each([
    ['QUERY', '', ''],
    ['PUT', 'text/xml', '<a/>'],
    ['POST', 'application/json', '{'],
    ['REPORT', 'application/json', '{"a":1}'],
  ])('answers a wrong method with 405 whatever its body is: %s %s', async (method, type, body) => {
    const { port } = await serve();
    const headers = { 'content-length': body.length, ...(type ? { 'content-type': type } : {}) };
    const request = http.request({ port, path: '/v1/things/x', method, headers }).end(body);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    response.resume();
    expect([response.statusCode, response.headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it('answers 401 and 403 in the error envelope alone', async () => {
    const { url } = await serve(new OneKeyAccess(['other:scope']));
    const missing = await fetch(`${url}/v1/things`);
    expect(missing.status).toBe(401);
    expect(Object.keys((await missing.json()) as object)).toEqual(['error']);
    const forbidden = await fetch(`${url}/v1/things`, { headers: bearer });
    expect(forbidden.status).toBe(403);
    expect(await forbidden.json()).toMatchObject({ error: { code: 'forbidden', param: 'things:read' } });
    expect(forbidden.headers.get('x-request-id')).toMatch(/^req_/);
  });

  it('lets a route keep to the error envelope', async () => {
    const { url } = await serve();
    const response = await fetch(`${url}/v1/things/x`, { headers: bearer });
    expect(response.status).toBe(404);
    expect(Object.keys((await response.json()) as object)).toEqual(['error']);
  });

  it('repeats the ids of the path in a 404, without a key or a text of a person', async () => {
    const { url } = await serve();
    const message = async (id: string) =>
      (
        (await (await fetch(`${url}/v1/things/${id}`, { headers: bearer })).json()) as {
          error: { message: string };
        }
      ).error.message;
    expect(await message('tng_1')).toBe('There is no such thing (id tng_1).');
    expect(await message('Jane%20Doe')).toBe("There is no such thing (id '…' (8 characters)).");
    expect(await message('svc_live_0123456789abcdefghijklmnop')).not.toContain('0123456789');
  });

  it.each([
    ['an unknown field', { name: 'ab', nmae: 1 }, 'nmae'],
    ['an unknown inner field', { name: 'ab', inner: { deep: 1, shallow: 2 } }, 'inner.shallow'],
    ['a missing field', {}, 'name'],
    ['a wrong type', { name: 'ab', inner: { deep: '1' } }, 'inner.deep'],
    ['a short text', { name: 'a' }, 'name'],
    ['a value outside the set', { name: 'ab', kind: 'c' }, 'kind'],
  ])('names %s', async (_what, sent, param) => {
    const { url } = await serve();
    const response = await fetch(`${url}/v1/things`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify(sent),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request', param } });
  });

  it('names an unknown query parameter, also on a route without any', async () => {
    const { url } = await serve();
    for (const path of ['/v1/things?limt=3', '/healthz?limt=3']) {
      const response = await fetch(url + path, { headers: bearer });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: { param: 'limt', message: 'Unknown query parameter limt.' },
      });
    }
    const range = await fetch(`${url}/v1/things?limit=101`, { headers: bearer });
    expect(await range.json()).toMatchObject({ error: { param: 'limit' } });
  });

  it('names an unknown field where no body is read at all', async () => {
    const { url } = await serve();
    const headers = { ...bearer, 'content-type': 'application/json' };
    const send = (body: string) => fetch(`${url}/v1/plain`, { method: 'POST', headers, body });
    const refused = await send('{"nmae":1}');
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { code: 'invalid_request', param: 'nmae' } });
    expect((await send('{}')).status).toBe(200);
  });

  it('reads numbers of a query as numbers', async () => {
    const { url } = await serve();
    const response = await fetch(`${url}/v1/things?limit=7`, { headers: bearer });
    expect(await response.json()).toMatchObject({ query: { limit: 7 } });
    expect(response.headers.get('ratelimit')).toBe('"default";r=9;t=1');
  });

  it.each([
    ['malformed JSON', '{"name":', 'application/json', 400, 'invalid_request'],
    ['a prototype', '{"name":"ab","__proto__":{"x":1}}', 'application/json', 400, 'invalid_request'],
    ['another type', '<name/>', 'text/xml', 415, 'unsupported_media_type'],
    [
      'too much',
      JSON.stringify({ name: 'a'.repeat(1_100_000) }),
      'application/json',
      413,
      'payload_too_large',
    ],
    ['no body', '', 'application/json', 400, 'invalid_request'],
  ])('refuses %s', async (_what, body, type, status, code) => {
    const { url } = await serve();
    const response = await fetch(`${url}/v1/things`, {
      method: 'POST',
      headers: { ...bearer, 'content-type': type },
      body,
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code } });
  });

  it('takes no body for an empty one where every field may be absent, and says so', async () => {
    const surface: Surface = {
      name: 'wishes',
      routes: (app) => {
        app.post(
          '/v1/wishes',
          {
            config: { access: { kind: 'public' } },
            schema: { summary: 'Wish', body: Type.Object({ wish: Type.Optional(Type.String()) }) },
          },
          async (request) => ({ wished: request.body }),
        );
      },
    };
    const { url } = await start({ surfaces: [surface] });
    for (const type of ['application/json', 'text/plain', undefined]) {
      const response = await fetch(`${url}/v1/wishes`, {
        method: 'POST',
        ...(type === undefined ? {} : { headers: { 'content-type': type } }),
      });
      expect([response.status, await response.json()], type).toEqual([200, { wished: {} }]);
    }
    const description = (await (await fetch(`${url}/openapi.json`)).json()) as never;
    expect(description).toMatchObject({
      paths: { '/v1/wishes': { post: { requestBody: { required: false } } } },
    });
  });

  it('says nothing of the inside when a route fails', async () => {
    const { url } = await serve();
    const response = await fetch(`${url}/v1/broken`);
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).toContain('internal_error');
    expect(text).not.toContain('secret inside');
  });

  it.each(['ENOSPC', 'SQLITE_FULL', '53100'])('asks to come again when the disk is full: %s', (code) => {
    const log = { error: () => {} } as never;
    const answer = toApiError(Object.assign(new Error('no space left on device, /secret'), { code }), log);
    expect([answer.code, answer.status, answer.retryAfter]).toEqual(['unavailable', 503, 60]);
    expect(answer.message).not.toContain('secret');
  });

  it('serves a page for every code', async () => {
    const { server } = await serve();
    for (const code of Object.keys(ERRORS)) {
      const response = await server.rest.inject(`/problems/${code}`);
      expect(response.statusCode).toBe(200);
      expect(response.body).toContain(code);
      for (const heading of ['Cause', 'Example', 'What to do'])
        expect(response.body).toMatch(new RegExp(`<h2>${heading}</h2><p>.`));
    }
    expect((await server.rest.inject('/problems/none_such')).statusCode).toBe(404);
    expect((await server.rest.inject('/problems/constructor')).statusCode).toBe(404);
  });
});

describe('a request', () => {
  it('gives its admission back when the answer has ended', async () => {
    const { url, access } = await serve();
    const response = await fetch(`${url}/v1/things`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ name: 'ab' }),
    });
    expect(response.status).toBe(201);
    await response.text();
    expect(access.admitted).toBe(1);
    await expect.poll(() => access.released).toBe(1);
  });

  it('is read by a browser only from an allow-listed origin, on routes that say so', async () => {
    const { url, access } = await serve();
    access.origins.add('https://shop.example');
    const preflight = await fetch(`${url}/v1/shared`, {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'GET' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('https://shop.example');
    const allowed = await fetch(`${url}/v1/shared`, { headers: { origin: 'https://shop.example' } });
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://shop.example');
    const other = await fetch(`${url}/v1/shared`, { headers: { origin: 'https://other.example' } });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
    const closed = await fetch(`${url}/healthz`, { headers: { origin: 'https://shop.example' } });
    expect(closed.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('fails the start when a route does not say who may call it', async () => {
    const open: Surface = {
      name: 'open',
      routes: (app) => {
        app.get('/v1/open', async () => ({}));
      },
    };
    await expect(start({ surfaces: [open] })).rejects.toThrow(/\/v1\/open does not say config.access/);
  });
});
