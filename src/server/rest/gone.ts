import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../platform/errors.ts';

/** `request.gone`: what was begun for a client that has left can be given up, wherever in its handling the request is.
 * The request's own 'close' does not serve: it comes when the body has been read, whether anybody still waits or not. */
export function registerGone(app: FastifyInstance): void {
  app.decorateRequest('gone', null as never);
  app.addHook('onRequest', async (request, reply) => {
    const leaving = new AbortController();
    request.gone = leaving.signal;
    reply.raw.once('close', () => {
      if (!reply.raw.writableEnded) leaving.abort(new ApiError('unavailable', 'The client has left.'));
    });
  });
}
