import type { FastifyInstance } from 'fastify';
import type { AccessControl } from '../../../foundation/access/contract.ts';

const CLOSED_POLICY = "default-src 'none'; frame-ancestors 'none'";

export function registerHeaders(app: FastifyInstance, options: { secure: boolean }): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': CLOSED_POLICY,
      'cache-control': 'no-store',
    });
    if (options.secure) reply.header('strict-transport-security', 'max-age=31536000');
  });
}

const PREFLIGHT_SECONDS = 600;

export function registerCors(app: FastifyInstance, access: AccessControl): void {
  const opened = new Map<string, string[]>();
  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat();
    if (!route.config?.cors || methods.includes('OPTIONS')) return;
    const allowed = opened.get(route.url);
    if (allowed !== undefined) {
      allowed.push(...methods);
      return;
    }
    opened.set(route.url, methods);
    app.options(
      route.url,
      {
        config: { access: { kind: 'public' }, cors: true },
        // A preflight carries the query of the request that follows it.
        schema: { hide: true, querystring: { type: 'object', additionalProperties: true } } as object,
      },
      async (request, reply) => {
        const wanted = request.headers['access-control-request-headers'];
        return reply
          .code(204)
          .headers({
            'access-control-allow-methods': methods.join(', '),
            'access-control-max-age': String(PREFLIGHT_SECONDS),
            ...(wanted ? { 'access-control-allow-headers': wanted } : {}),
          })
          .send();
      },
    );
  });
  app.addHook('onRequest', async (request, reply) => {
    if (!request.routeOptions.config.cors) return;
    reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !(await access.allowsOrigin(origin))) return;
    reply.headers({ 'access-control-allow-origin': origin, 'cross-origin-resource-policy': 'cross-origin' });
    reply.header(
      'access-control-expose-headers',
      'location, x-request-id, ratelimit, ratelimit-policy, retry-after, x-svc-node',
    );
  });
}
