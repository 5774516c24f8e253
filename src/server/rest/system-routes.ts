import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { ERRORS, type ErrorCode } from '../../platform/errors.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { describeSockets } from '../asyncapi.ts';
import type { Readiness } from '../readiness.ts';
import type { SocketRoute } from '../surface.ts';
import { describeRest, type OperationBook } from './openapi.ts';
import { page, pageHeaders, problemPage, referencePage } from './pages.ts';
import { PUBLIC } from './route-config.ts';

export interface SystemRoutes {
  readonly baseUrl: () => string;
  readonly book: OperationBook;
  readonly sockets: readonly SocketRoute[];
  readonly metrics: Metrics;
  readonly readiness: () => Promise<Readiness>;
  readonly draining: () => boolean;
}

const config = { access: PUBLIC, whileDraining: true };

const ReadyBody = Type.Object({
  status: Type.Enum(['ready', 'not_ready', 'draining']),
  not_ready: Type.Array(Type.Object({ name: Type.String(), detail: Type.Optional(Type.String()) })),
  parts: Type.Array(
    Type.Object({
      name: Type.String(),
      ready: Type.Boolean(),
      required: Type.Boolean(),
      detail: Type.Optional(Type.String()),
    }),
  ),
});

export function registerSystemRoutes(app: FastifyInstance, options: SystemRoutes): void {
  registerHealth(app, options);
  registerDescriptions(app, options);
  registerPages(app, options);
}

function registerHealth(app: FastifyInstance, { readiness, draining, metrics }: SystemRoutes): void {
  app.get(
    '/healthz',
    {
      config,
      schema: {
        summary: 'The process answers',
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
        summary: 'Whether every part that traffic needs is ready; names those that are not',
        response: { 200: ReadyBody, 503: ReadyBody },
      },
    },
    async (_request, reply) => {
      const { ready, parts } = await readiness();
      const waiting = parts.filter((part) => part.required && !part.ready);
      const serving = ready && !draining();
      if (!serving) reply.code(503).header('retry-after', '1');
      return {
        status: draining() ? 'draining' : ready ? 'ready' : 'not_ready',
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
        summary: 'Prometheus metrics',
        response: { 200: { content: { 'text/plain': { schema: Type.String() } } } },
      },
    },
    async (_request, reply) =>
      reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metrics.text()),
  );
}

function registerDescriptions(app: FastifyInstance, { book, sockets, baseUrl }: SystemRoutes): void {
  const described = {
    200: { content: { 'application/json': { schema: Type.Object({}, { additionalProperties: true }) } } },
  };
  app.get(
    '/openapi.json',
    { config: { ...config, cors: true }, schema: { summary: 'This description', response: described } },
    async (_request, reply) =>
      reply
        .type('application/json')
        .serializer(JSON.stringify)
        .send(describeRest(book.operations, baseUrl())),
  );
  app.get(
    '/asyncapi.json',
    {
      config: { ...config, cors: true },
      schema: { summary: 'The description of the WebSocket routes', response: described },
    },
    async (_request, reply) =>
      reply.type('application/json').serializer(JSON.stringify).send(describeSockets(sockets, baseUrl())),
  );
}

const html = { 200: { content: { 'text/html': { schema: Type.String() } } } };

function registerPages(app: FastifyInstance, { book, sockets, baseUrl }: SystemRoutes): void {
  app.get(
    '/docs',
    { config, schema: { summary: 'The reference as a page', response: html } },
    async (_request, reply) =>
      reply
        .headers(pageHeaders)
        .send(referencePage(describeRest(book.operations, baseUrl()), describeSockets(sockets, baseUrl()))),
  );
  app.get(
    '/problems/:code',
    {
      config: { ...config, errors: ['not_found'] },
      schema: {
        summary: 'What an error code means',
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
    { config, schema: { summary: 'Every error code', response: html } },
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
