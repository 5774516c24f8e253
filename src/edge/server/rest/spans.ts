import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { type Span, SpanStatusCode, type Tracing } from '../../../foundation/platform/tracing.ts';

const SERVER_KIND = 1;

/** Records one span a request, named after its route. It holds no header, body or query, and no error text, which may quote
 * them. */
export function registerSpans(app: FastifyInstance, { tracer }: Tracing): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  app.addHook('onRequest', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    const span = tracer.startSpan(`${request.method} ${route}`, {
      kind: SERVER_KIND,
      attributes: {
        'http.request.method': request.method,
        'http.route': route,
        'trunkline.request_id': request.id,
      },
    });
    spans.set(request, span);
    reply.raw.once('close', () => {
      span.setAttribute('http.response.status_code', reply.statusCode);
      if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
  });
  app.addHook('onError', async (request, _reply, error) => {
    spans.get(request)?.setAttribute('error.type', error instanceof ApiError ? error.code : error.name);
  });
}
