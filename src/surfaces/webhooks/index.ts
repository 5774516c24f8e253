import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { ApiError } from '../../platform/errors.ts';
import { DEFAULT_PAGE, PageQuery, pageOf, pageStart } from '../../platform/pages.ts';
import type { Surface } from '../../server/surface.ts';
import type { DeliveryRecord, Webhooks } from '../../webhooks/index.ts';
import { Delivery, DeliveryPage, SigningSecret } from './schemas.ts';

const show = (row: DeliveryRecord): Delivery => ({
  id: row.id,
  object: 'webhook.delivery',
  event_id: row.event_id,
  event_type: row.event_type,
  url: row.url,
  status: row.status,
  attempts: row.attempts,
  next_attempt_at: row.next_attempt_at,
  last_attempt_at: row.last_attempt_at,
  response_status: row.response_status,
  error: row.error,
  created_at: row.created_at,
  delivered_at: row.delivered_at,
});

function routes(app: FastifyInstance, webhooks: Webhooks): void {
  app.post('/v1/webhooks/signing-secret', {
    config: { access: { kind: 'member' } },
    schema: {
      summary: 'Mint or rotate the secret that signs the organization’s webhooks',
      description:
        'The secret is shown this once. After a rotation the old secret’s signature is sent beside the new one, in X-Svc-Signature-Previous, for 24 hours.',
      response: { 200: SigningSecret },
    },
    handler: async (request) => {
      const { secret, createdAt } = await webhooks.mintSecret(request.caller().orgId);
      return { secret, created_at: createdAt };
    },
  });
  app.get<{ Querystring: PageQuery }>('/v1/webhooks/deliveries', {
    config: { access: { kind: 'member' } },
    schema: {
      summary: 'Deliveries of the organization’s webhooks, newest first',
      querystring: PageQuery,
      response: { 200: DeliveryPage },
    },
    handler: async (request) => {
      const start = pageStart(request.query);
      const limit = request.query.limit ?? DEFAULT_PAGE;
      const rows = await webhooks.deliveries(request.caller().orgId, limit, start);
      return pageOf(rows, request.query, (row) => ({ createdAt: row.created_at, id: row.id }), show);
    },
  });
  app.post<{ Params: { id: string } }>('/v1/webhooks/deliveries/:id/redeliver', {
    config: { access: { kind: 'member' }, errors: ['not_found'] },
    schema: {
      summary: 'Send an event to its receiver again, now',
      params: Type.Object({ id: Type.String() }),
      response: { 202: Delivery },
    },
    handler: async (request, reply) => {
      const row = await webhooks.redeliver(request.caller().orgId, request.params.id);
      if (!row) throw new ApiError('not_found', 'There is no such delivery.');
      return reply.code(202).send(show(row));
    },
  });
}

export const createWebhooksSurface = (deps: { readonly webhooks: Webhooks }): Surface => ({
  name: 'webhooks',
  routes: (app) => routes(app, deps.webhooks),
  start: async () => deps.webhooks.start(),
  stop: (deadlineMs) => deps.webhooks.stop(deadlineMs),
});
