// @requirement Versioning: OpenAPI 3.1.0 of interface version 2.3.1 and AsyncAPI 3.0 are served.
import { once } from 'node:events';
import { createServer as createCollector, get, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import Type from 'typebox';
import { expect, it } from 'vitest';
import type { ComponentHealth, Surface } from '../../../src/edge/server/surface.ts';
import { ERRORS } from '../../../src/foundation/platform/errors.ts';
import { startTracing } from '../../../src/foundation/platform/tracing.ts';
import { bearer, start } from './fixtures/start.ts';

type Json = Record<string, unknown>;

const Query = Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, description: 'how many' })) });

const described: Surface = {
  name: 'described',
  routes: (app) => {
    app.get('/v1/items/:id', {
      config: { access: { kind: 'key', scope: 'items:read' }, errors: ['idempotency_conflict'] },
      schema: {
        summary: 'One item',
        params: Type.Object({ id: Type.String() }),
        querystring: Query,
        response: { 200: Type.Object({ id: Type.String() }) },
      },
      handler: async (request) => ({ id: (request.params as { id: string }).id }),
    });
  },
  sockets: [
    {
      path: '/v1/talk',
      access: { kind: 'key', scope: 'talk:open' },
      maxFrameBytes: 1024,
      messages: {
        summary: 'Talk',
        query: Type.Object({ rate: Type.Integer() }),
        client: [{ name: 'audio', summary: 'PCM16' }],
        server: [{ name: 'said', summary: 'What was said', schema: Type.Object({ text: Type.String() }) }],
      },
      accept: () => ({ open: () => ({ onMessage: () => {}, onClosed: () => {} }) }),
    },
  ],
};

const json = async (url: string): Promise<Json> => (await (await fetch(url)).json()) as Json;

// @requirement Platform: `/docs` and `/openapi.json` are rendered once.
it('compresses the description where the client accepts it', async () => {
  const { url } = await start({ surfaces: [described] });
  const asked = (path: string, accepted?: string) =>
    new Promise<{ encoding: string | undefined; body: Buffer }>((resolve, reject) => {
      const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
      get(`${url}${path}`, { headers }, async (answer) => {
        const parts: Buffer[] = [];
        for await (const part of answer) parts.push(part as Buffer);
        resolve({ encoding: answer.headers['content-encoding'], body: Buffer.concat(parts) });
      }).on('error', reject);
    });
  for (const path of ['/openapi.json', '/asyncapi.json', '/docs', '/llms.txt']) {
    const { encoding, body } = await asked(path);
    expect(encoding).toBeUndefined();
    for (const accepted of ['gzip', 'br, gzip;q=0.8', 'GZIP;q=1.0']) {
      const small = await asked(path, accepted);
      expect(small.encoding).toBe('gzip');
      expect(small.body.length).toBeLessThan(body.length);
      expect(gunzipSync(small.body).equals(body)).toBe(true);
    }
    for (const refused of ['gzip;q=0', 'gzip;q=0.00', 'x-gzip', 'br', ''])
      expect((await asked(path, refused)).body.equals(body), refused).toBe(true);
  }
});

it('describes REST from the schemas that validate', async () => {
  const { url } = await start({ surfaces: [described] });
  const openapi = await json(`${url}/openapi.json`);
  expect(openapi).toMatchObject({ openapi: '3.1.0', info: { version: '2.3.1' }, servers: [{ url }] });
  const operation = (openapi.paths as Record<string, { get: Json }>)['/v1/items/{id}']!.get;
  expect(operation).toMatchObject({
    summary: 'One item',
    security: [{ bearer: [] }, { apiKey: [] }],
    'x-required-scope': 'items:read',
    parameters: [
      { name: 'id', in: 'path', required: true },
      {
        name: 'limit',
        in: 'query',
        required: false,
        description: 'how many',
        schema: { type: 'integer', minimum: 1 },
      },
    ],
  });
  const responses = operation.responses as Record<string, Json>;
  expect(responses['409']!['x-error-codes']).toEqual(['idempotency_conflict']);
  expect(Object.keys(responses)).toEqual(
    expect.arrayContaining(['200', '400', '401', '403', '404', '429', '500', '503']),
  );
  const { schemas } = openapi.components as {
    schemas: { Error: { properties: { error: { properties: Json } } } };
  };
  expect(schemas.Error.properties.error.properties.code).toEqual({ enum: Object.keys(ERRORS) });
});

it('describes sockets from the schemas of their frames', async () => {
  const { url } = await start({ surfaces: [described] });
  const asyncapi = await json(`${url}/asyncapi.json`);
  expect(asyncapi).toMatchObject({
    asyncapi: '3.0.0',
    channels: {
      v1_talk: {
        address: '/v1/talk',
        'x-required-scope': 'talk:open',
        messages: {
          client_audio: { contentType: 'application/octet-stream' },
          server_said: {
            contentType: 'application/json',
            payload: { properties: { text: { type: 'string' } } },
          },
        },
      },
    },
    operations: {
      v1_talk_receive: {
        action: 'receive',
        messages: [{ $ref: '#/channels/v1_talk/messages/client_audio' }],
      },
      v1_talk_send: { action: 'send', messages: [{ $ref: '#/channels/v1_talk/messages/server_said' }] },
    },
  });
});

it('has a reference page that loads and runs its own script alone', async () => {
  const { url } = await start({ surfaces: [described] });
  const response = await fetch(`${url}/docs`);
  const page = await response.text();
  expect(page).toContain('/v1/items/{id}');
  expect(page).toContain('/v1/talk');
  expect(page.match(/<script[^>]*>[^<]*/g)).toEqual(['<script src="/docs/reference.js" defer>']);
  expect(page.replace('src="/docs/reference.js"', '')).not.toMatch(/ src=|@import|url\(/);
  expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'/);
});

it('names what is not ready, and what throws', async () => {
  const part = (name: string, ready: boolean, required: boolean): ComponentHealth => ({
    name,
    ready,
    required,
    detail: `${name}!`,
  });
  const state = { ready: false };
  const parts = new Map([
    ['store', () => [part('database', state.ready, true), part('cache', false, false)]],
    [
      'engine',
      () => {
        if (!state.ready) throw new Error('no engine');
        return [part('engine', true, true)];
      },
    ],
  ]);
  const { url } = await start({ parts });
  const waiting = await fetch(`${url}/readyz`);
  expect(waiting.status).toBe(503);
  expect(await waiting.json()).toMatchObject({
    status: 'not_ready',
    not_ready: [
      { name: 'database', detail: 'database!' },
      { name: 'engine', detail: 'no engine' },
    ],
  });
  state.ready = true;
  const ready = await fetch(`${url}/readyz`);
  expect(ready.status).toBe(200);
  expect(await ready.json()).toMatchObject({ status: 'ready', not_ready: [] });
});

it('shows numbers of a room, and times of requests, as Prometheus reads them', async () => {
  const { url, server } = await start({ surfaces: [described] });
  server.metrics.addSource('engine', () => ({ lanes: 3, ticks_total: 7 }));
  const gauge = (name: string, read: () => Promise<{ labels: { queue: string }; value: number }[]>) =>
    server.metrics.addGauge({ name, help: 'of a test', labelNames: ['queue'], read });
  gauge('trunkline_waiting', async () => [{ labels: { queue: 'calls' }, value: 2 }]);
  gauge('trunkline_broken', async () => {
    throw new Error('the database is gone');
  });
  await fetch(`${url}/v1/items/1`, { headers: bearer });
  const text = await (await fetch(`${url}/metrics`)).text();
  expect(text).toContain('# TYPE trunkline_engine_lanes gauge\ntrunkline_engine_lanes 3');
  expect(text).toContain('# TYPE trunkline_engine_ticks_total counter');
  expect(text).toContain('trunkline_waiting{queue="calls"} 2');
  expect(text).not.toContain('trunkline_broken{');
  expect(text).toContain(
    'trunkline_http_request_seconds_count{route="/v1/items/:id",method="GET",status="200"} 1',
  );
  expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
});

it('sends a span for each request to the collector, without what the request held', async () => {
  const bodies: string[] = [];
  const collector = createCollector((request: IncomingMessage, response) => {
    request.setEncoding('latin1');
    let body = '';
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      bodies.push(`${request.url} ${body}`);
      response.setHeader('content-type', 'application/json');
      response.end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = collector.address() as { port: number };
  const tracing = await startTracing(`http://127.0.0.1:${port}`);
  const { url } = await start({ surfaces: [described], tracing });
  await (await fetch(`${url}/v1/items/private-id?limit=4`, { headers: bearer })).text();
  await expect
    .poll(async () => {
      await tracing.flush();
      return bodies.join('\n');
    })
    .toContain('GET /v1/items/:id');
  expect(bodies.join('\n')).toMatch(/^\/v1\/traces /);
  expect(bodies.join('\n')).not.toMatch(/private-id|svc_test_/);
  await tracing.stop();
  collector.close();
});
