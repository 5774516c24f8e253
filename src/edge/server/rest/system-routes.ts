import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { ERRORS, type ErrorCode } from '../../../foundation/platform/errors.ts';
import type { Metrics } from '../../../foundation/platform/metrics.ts';
import { PROJECT_ROOT } from '../../../foundation/platform/project-root.ts';
import { describeSockets } from '../contract/asyncapi.ts';
import { withComponents } from '../contract/components.ts';
import { llmsText } from '../contract/llms.ts';
import { describeRest } from '../contract/openapi.ts';
import type { OperationRegistry } from '../contract/operation-registry.ts';
import { referenceHeaders, referencePage } from '../contract/reference/page.ts';
import type { Readiness } from '../readiness.ts';
import { StaticFile } from '../static-file.ts';
import type { SocketRoute } from '../surface.ts';
import { CachedDocument } from './cached-document.ts';
import { landingPage, page, pageHeaders, problemPage } from './pages.ts';
import { PUBLIC } from './route-config.ts';

export interface SystemRoutes {
  readonly baseUrl: () => string;
  readonly operations: OperationRegistry;
  readonly sockets: readonly SocketRoute[];
  readonly metrics: Metrics;
  readonly readiness: () => Promise<Readiness>;
  readonly draining: () => boolean;
  readonly requireOperator: (request: FastifyRequest) => Promise<void>;
}

const config = { access: PUBLIC, whileDraining: true };

const ReadyBody = Type.Object({
  status: Type.Enum(['ready', 'degraded', 'not_ready', 'draining']),
  not_ready: Type.Array(Type.Object({ name: Type.String(), detail: Type.Optional(Type.String()) })),
  parts: Type.Array(
    Type.Object({
      name: Type.String(),
      ready: Type.Boolean(),
      required: Type.Boolean(),
      detail: Type.Optional(Type.String()),
      degraded: Type.Optional(
        Type.Boolean({
          description: 'Whether the component works with a fallback instead of as configured.',
        }),
      ),
      wanted: Type.Optional(
        Type.Enum(['auto', 'cpu', 'cuda'], {
          description: 'The configured device; set for the component `device`.',
        }),
      ),
      calls_free: Type.Optional(
        Type.Integer({
          description: 'How many more agent calls this node can accept; set for the component `calls`.',
        }),
      ),
      calls_capacity: Type.Optional(
        Type.Integer({
          description: 'How many agent calls an idle node can accept; set for the component `calls`.',
        }),
      ),
      models: Type.Optional(
        Type.Array(
          Type.Object({
            name: Type.String(),
            device: Type.Enum(['cpu', 'cuda']),
            reason: Type.Optional(Type.String({ description: 'Why the model runs on this device.' })),
          }),
          { description: 'The device of each model; set for the component `device`.' },
        ),
      ),
    }),
  ),
});

export function registerSystemRoutes(app: FastifyInstance, options: SystemRoutes): void {
  registerHealth(app, options);
  registerDescriptions(app, options);
  registerPages(app, options);
}

const maySeeComponents = (
  operates: SystemRoutes['requireOperator'],
  request: FastifyRequest,
): Promise<boolean> =>
  operates(request).then(
    () => true,
    () => false,
  );

function registerHealth(
  app: FastifyInstance,
  { readiness, draining, metrics, requireOperator: operates }: SystemRoutes,
): void {
  app.get(
    '/healthz',
    {
      config,
      schema: {
        summary: 'Check liveness',
        response: { 200: Type.Object({ status: Type.Literal('ok') }) },
      },
    },
    async () => ({ status: 'ok' as const }),
  );
  app.get(
    '/readyz',
    {
      config,
      schema: {
        summary: 'Check readiness',
        description:
          'Returns 503 while the server drains or a required component is not ready. Component details are shown only to requests with the operator’s token and to requests from this machine.',
        response: { 200: ReadyBody, 503: ReadyBody },
      },
    },
    async (request, reply) => {
      const [{ ready, parts: all }, sees] = await Promise.all([
        readiness(),
        maySeeComponents(operates, request),
      ]);
      // Only the operator may learn which model, database or store is unavailable.
      const parts = sees ? [...all] : [];
      const waiting = parts.filter((part) => part.required && !part.ready);
      const serving = ready && !draining();
      if (!serving) reply.code(503).header('retry-after', '1');
      const served = parts.some((part) => part.degraded) ? 'degraded' : 'ready';
      return {
        status: draining() ? 'draining' : ready ? served : 'not_ready',
        not_ready: waiting.map(({ name, detail }) => ({ name, ...(detail ? { detail } : {}) })),
        parts,
      };
    },
  );
  app.get(
    '/metrics',
    {
      config,
      schema: {
        summary: 'Get Prometheus metrics',
        response: { 200: { content: { 'text/plain': { schema: Type.String() } } } },
      },
    },
    async (request, reply) => {
      await operates(request);
      return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metrics.text());
    },
  );
}

function registerDescriptions(app: FastifyInstance, { operations, sockets, baseUrl }: SystemRoutes): void {
  const described = {
    200: { content: { 'application/json': { schema: Type.Object({}, { additionalProperties: true }) } } },
  };
  const rest = new CachedDocument((url) => JSON.stringify(withComponents(describeRest(operations, url))));
  const socketsText = new CachedDocument((url) => JSON.stringify(describeSockets(sockets, url)));
  app.get(
    '/openapi.json',
    {
      config: { ...config, cors: true },
      schema: { summary: 'Get the OpenAPI description', response: described },
    },
    async (request, reply) => rest.send(request, reply.type('application/json'), baseUrl()),
  );
  app.get(
    '/asyncapi.json',
    {
      config: { ...config, cors: true },
      schema: { summary: 'Get the AsyncAPI description of the WebSocket endpoints', response: described },
    },
    async (request, reply) => socketsText.send(request, reply.type('application/json'), baseUrl()),
  );
}

function registerLanding(
  app: FastifyInstance,
  { operations, sockets, baseUrl, readiness, draining }: SystemRoutes,
): void {
  app.get(
    '/',
    {
      config,
      schema: { operationId: 'get_landing_page', summary: 'Get the landing page', response: html },
    },
    async (_request, reply) => {
      const { ready } = await readiness();
      const state = draining() ? 'shutting down' : ready ? 'ready' : 'getting ready';
      return reply
        .headers({ ...pageHeaders, 'cache-control': 'no-store' })
        .send(landingPage(state, baseUrl()));
    },
  );
  const llms = new CachedDocument((url) =>
    llmsText(describeRest(operations, url), describeSockets(sockets, url), url),
  );
  app.get(
    '/llms.txt',
    {
      config,
      schema: {
        summary: 'Get the API reference as plain text (llms.txt)',
        response: { 200: { content: { 'text/plain': { schema: Type.String() } } } },
      },
    },
    async (request, reply) => llms.send(request, reply.type('text/plain; charset=utf-8'), baseUrl()),
  );
}

const html = { 200: { content: { 'text/html': { schema: Type.String() } } } };

function registerPages(app: FastifyInstance, options: SystemRoutes): void {
  const { operations, sockets, baseUrl } = options;
  registerLanding(app, options);
  const reference = new CachedDocument((url) =>
    referencePage(describeRest(operations, url), describeSockets(sockets, url)),
  );
  app.get(
    '/docs',
    { config, schema: { summary: 'Get the API reference as a web page', response: html } },
    async (request, reply) => reference.send(request, reply.headers(referenceHeaders), baseUrl()),
  );
  const script = new StaticFile(readFileSync(join(PROJECT_ROOT, 'src/apps/widget/reference.js')));
  app.get(
    '/docs/reference.js',
    {
      config,
      schema: {
        summary: 'Get the script of the reference page',
        response: { 200: { content: { 'text/javascript': { schema: Type.String() } } } },
      },
    },
    async (request, reply) =>
      script.send(
        request,
        reply.type('text/javascript; charset=utf-8').header('cache-control', 'public, max-age=300'),
      ),
  );
  app.get(
    '/problems/:code',
    {
      config: { ...config, errors: ['not_found'] },
      schema: {
        summary: 'Get the documentation of an error code',
        params: Type.Object({ code: Type.String() }),
        response: html,
      },
    },
    async (request, reply) => {
      const { code } = request.params as { code: string };
      if (!Object.hasOwn(ERRORS, code)) return reply.callNotFound();
      return reply.headers(pageHeaders).send(problemPage(code as ErrorCode));
    },
  );
  app.get(
    '/problems',
    { config, schema: { summary: 'List all error codes', response: html } },
    async (_request, reply) =>
      reply.headers(pageHeaders).send(
        page(
          'Errors',
          `<table><tr><th>Status</th><th>Code</th><th>Meaning</th></tr>${Object.entries(ERRORS)
            .map(
              ([code, entry]) =>
                `<tr><td>${entry.status}</td><td><a href="/problems/${code}">${code}</a></td><td>${entry.title}</td></tr>`,
            )
            .join('')}</table>`,
        ),
      ),
  );
}
