import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { tenantScopeIn } from '../../../foundation/access/index.ts';
import { NoSuchError } from '../../../foundation/platform/errors.ts';
import { pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import type { DeliveryRecord, Webhooks } from '../../../foundation/webhooks/index.ts';
import type { Surface } from '../../server/surface.ts';
import { Delivery, DeliveryPage, DeliveryQuery, SigningSecret } from './schemas.ts';

const ProjectQuery = Type.Object({
  project_id: Type.Optional(
    Type.String({ maxLength: 64, description: 'Defaults to the user’s first project.' }),
  ),
  environment: Type.Optional(Type.Enum(['live', 'sandbox'])),
});
type ProjectQuery = Static<typeof ProjectQuery>;

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
  app.post<{ Querystring: ProjectQuery }>('/v1/webhooks/signing-secret', {
    config: { access: { kind: 'member', scope: 'webhooks:manage', role: 'admin' }, errors: ['not_found'] },
    schema: {
      summary: 'Create or rotate the webhook signing secret of a project and environment',
      description:
        'The secret is returned only in this response. For 24 hours after a rotation, requests also carry a signature made with the old secret, in X-Svc-Signature-Previous.',
      querystring: ProjectQuery,
      response: { 200: SigningSecret },
    },
    handler: async (request) => {
      const scope = tenantScopeIn(request.caller(), request.query);
      const { secret, createdAt } = await webhooks.mintSecret(scope, request.doer());
      return { secret, created_at: createdAt };
    },
  });
  app.get<{ Querystring: DeliveryQuery & ProjectQuery }>('/v1/webhooks/deliveries', {
    config: { access: { kind: 'member', scope: 'webhooks:manage' }, errors: ['not_found'] },
    schema: {
      summary: 'List webhook deliveries of the organization, newest first',
      querystring: Type.Object({ ...DeliveryQuery.properties, ...ProjectQuery.properties }),
      response: { 200: DeliveryPage },
    },
    handler: async (request) => {
      const start = pageStart(request.query);
      const rows = await webhooks.deliveries(
        tenantScopeIn(request.caller(), request.query),
        request.query,
        start,
      );
      return pageOf(rows, request.query, (row) => ({ createdAt: row.created_at, id: row.id }), show);
    },
  });
  app.post<{ Params: { id: string }; Querystring: ProjectQuery }>('/v1/webhooks/deliveries/:id/redeliver', {
    config: {
      access: { kind: 'member', scope: 'webhooks:manage', role: 'developer' },
      errors: ['not_found'],
    },
    schema: {
      summary: 'Retry a webhook delivery immediately',
      params: Type.Object({ id: Type.String() }),
      querystring: ProjectQuery,
      response: { 202: Delivery },
    },
    handler: async (request, reply) => {
      const row = await webhooks.redeliver(tenantScopeIn(request.caller(), request.query), request.params.id);
      if (!row) throw new NoSuchError('delivery');
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
