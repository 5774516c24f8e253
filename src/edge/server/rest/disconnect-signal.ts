import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../../foundation/platform/errors.ts';

const RETRY_SECONDS = 5;

/**
 * Adds `request.gone`, a signal that aborts work for a client that has disconnected. The request's own 'close' event
 * does not suffice: it also fires when the body has been read. Returns a function that aborts every request in
 * flight, so that each gets its response before the server closes.
 */
export function registerDisconnectSignal(app: FastifyInstance): () => void {
  const underWay = new Set<AbortController>();
  app.decorateRequest('gone', null as never);
  app.addHook('onRequest', async (request, reply) => {
    const leaving = new AbortController();
    underWay.add(leaving);
    request.gone = leaving.signal;
    reply.raw.once('close', () => {
      underWay.delete(leaving);
      if (!reply.raw.writableEnded)
        leaving.abort(new ApiError('unavailable', 'The client closed the connection.'));
    });
  });
  return () => {
    for (const one of underWay) {
      const message =
        'The server is shutting down and cannot finish this request. Send it again after a few seconds.';
      one.abort(new ApiError('unavailable', message, { retryAfter: RETRY_SECONDS }));
    }
  };
}
