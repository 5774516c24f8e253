import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../../foundation/platform/errors.ts';

const RETRY_SECONDS = 5;

/** `request.gone`: what was begun for a client that has left can be given up, wherever in its handling the request is.
 * The request's own 'close' does not serve: it comes when the body has been read, whether anybody still waits or not.
 * Answers with what gives up all requests under way, so that each still has its answer when the server ends. */
export function registerGone(app: FastifyInstance): () => void {
  const underWay = new Set<AbortController>();
  app.decorateRequest('gone', null as never);
  app.addHook('onRequest', async (request, reply) => {
    const leaving = new AbortController();
    underWay.add(leaving);
    request.gone = leaving.signal;
    reply.raw.once('close', () => {
      underWay.delete(leaving);
      if (!reply.raw.writableEnded) leaving.abort(new ApiError('unavailable', 'The client has left.'));
    });
  });
  return () => {
    for (const one of underWay) {
      const message = 'The server is shutting down and cannot finish this; ask another one.';
      one.abort(new ApiError('unavailable', message, { retryAfter: RETRY_SECONDS }));
    }
  };
}
