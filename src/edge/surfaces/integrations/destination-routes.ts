import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import Type from 'typebox';
import { tenantScopeIn } from '../../../foundation/access/index.ts';
import { type ApiError, NoSuchError } from '../../../foundation/platform/errors.ts';
import { isId } from '../../../foundation/platform/ids.ts';
import { PageQuery, pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import {
  type Change,
  type Filters,
  type Kind,
  NEWEST,
  type Destination as Stored,
  shownSettings,
  tryOut,
} from '../../../products/integrations/index.ts';
import type { IntegrationsDeps } from './index.ts';
import {
  Destination,
  DestinationBody,
  DestinationDeleted,
  DestinationList,
  DestinationPatch,
  type Params as IdParams,
  Params,
  ProjectQuery,
  TestBody,
  TestSent,
} from './schemas.ts';

export const MANAGES = { kind: 'member', scope: 'webhooks:manage', role: 'developer' } as const;
export const READS = { kind: 'member', scope: 'webhooks:manage' } as const;
const destinationNotFound = (): ApiError => new NoSuchError('destination');

interface DestinationRequest {
  Params: Static<typeof IdParams>;
  Querystring: ProjectQuery;
}

export const idOf = ({ id }: Static<typeof IdParams>): string => {
  if (!isId('dst', id)) throw destinationNotFound();
  return id;
};

const show = (stored: Stored) => ({
  id: stored.id,
  object: 'integration.destination' as const,
  kind: stored.kind as Kind,
  name: stored.name,
  url: stored.url,
  events: [...stored.events],
  filters: stored.filters as Record<string, unknown>,
  event_version: stored.eventVersion,
  settings: shownSettings(stored),
  status: stored.status,
  unconfirmed: [...stored.unconfirmed],
  created_by: stored.createdBy,
  created_at: stored.createdAt,
  updated_at: stored.updatedAt,
});

export function destinationRoutes(app: FastifyInstance, deps: IntegrationsDeps): void {
  collectionRoutes(app, deps);
  itemRoutes(app, deps);
  testRoute(app, deps);
}

function collectionRoutes(app: FastifyInstance, { destinations }: IntegrationsDeps): void {
  app.post<{ Body: Static<typeof DestinationBody>; Querystring: ProjectQuery }>(
    '/v1/integrations/destinations',
    {
      config: { access: MANAGES, idempotent: 'optional', errors: ['not_found'] },
      schema: {
        summary: 'Create a destination for events: a webhook, messenger, CRM, bucket or email address',
        description:
          'Secrets in `settings` are stored encrypted and never returned. Email is only sent to addresses that have confirmed a link sent to them, and only for live keys.',
        querystring: ProjectQuery,
        body: DestinationBody,
        response: { 201: Destination },
      },
      handler: async (request, reply) => {
        const { kind = 'webhook', name = null, url = null, events, filters = {}, ...more } = request.body;
        const { event_version: eventVersion = NEWEST, settings = {} } = more;
        const said = { kind, name, url, events, filters: filters as Filters, eventVersion, settings };
        const scope = tenantScopeIn(request.caller(), request.query);
        const made = await request.once(async (keep) =>
          show(
            await destinations.create(scope, request.doer(), said, (trx, stored) => keep(trx, show(stored))),
          ),
        );
        return reply.code(201).send(made);
      },
    },
  );

  app.get<{ Querystring: PageQuery & ProjectQuery }>('/v1/integrations/destinations', {
    config: { access: READS, errors: ['not_found'] },
    schema: {
      summary: 'List destinations, newest first',
      querystring: Type.Object({ ...PageQuery.properties, ...ProjectQuery.properties }),
      response: { 200: DestinationList },
    },
    handler: async (request) => {
      const { query } = request;
      const rows = await destinations.list(
        tenantScopeIn(request.caller(), query),
        false,
        query,
        pageStart(query),
      );
      return pageOf(rows, query, ({ createdAt, id }) => ({ createdAt, id }), show);
    },
  });
}

function itemRoutes(app: FastifyInstance, { destinations }: IntegrationsDeps): void {
  app.get<DestinationRequest>('/v1/integrations/destinations/:id', {
    config: { access: READS },
    schema: {
      summary: 'Retrieve a destination',
      params: Params,
      querystring: ProjectQuery,
      response: { 200: Destination },
    },
    handler: async (request) => {
      const found = await destinations.find(
        tenantScopeIn(request.caller(), request.query),
        idOf(request.params),
      );
      if (found === null) throw destinationNotFound();
      return show(found);
    },
  });

  app.patch<DestinationRequest & { Body: Static<typeof DestinationPatch> }>(
    '/v1/integrations/destinations/:id',
    {
      config: { access: MANAGES },
      schema: {
        summary: 'Update or pause a destination',
        description:
          'A paused destination receives no new events. Deliveries that are already scheduled are still retried.',
        params: Params,
        querystring: ProjectQuery,
        body: DestinationPatch,
        response: { 200: Destination },
      },
      handler: async (request) => {
        const scope = tenantScopeIn(request.caller(), request.query);
        const change = request.body as Change;
        const changed = await destinations.change(scope, request.doer(), idOf(request.params), change);
        if (changed === null) throw destinationNotFound();
        return show(changed);
      },
    },
  );

  app.delete<DestinationRequest>('/v1/integrations/destinations/:id', {
    config: { access: MANAGES },
    schema: {
      summary: 'Delete a destination and cancel its pending deliveries',
      params: Params,
      querystring: ProjectQuery,
      response: { 200: DestinationDeleted },
    },
    handler: async (request) => {
      const id = idOf(request.params);
      const scope = tenantScopeIn(request.caller(), request.query);
      if (!(await destinations.remove(scope, request.doer(), id))) throw destinationNotFound();
      return { id, object: 'integration.destination' as const, deleted: true as const };
    },
  });
}

function testRoute(app: FastifyInstance, { destinations, storage, webhooks }: IntegrationsDeps): void {
  app.post<DestinationRequest & { Body: Static<typeof TestBody> }>('/v1/integrations/destinations/:id/test', {
    config: { access: MANAGES },
    schema: {
      summary: 'Send a sample event to a destination, regardless of the events it subscribes to',
      description: 'The sample is signed, retried and listed among the deliveries like any other event.',
      params: Params,
      querystring: ProjectQuery,
      body: TestBody,
      response: { 202: TestSent },
    },
    handler: async (request, reply) => {
      const scope = tenantScopeIn(request.caller(), request.query);
      const found = await destinations.find(scope, idOf(request.params));
      if (found === null) throw destinationNotFound();
      const event = await tryOut(storage, webhooks, scope, found, request.body.event ?? 'integration.test');
      return reply
        .code(202)
        .send({ object: 'integration.test' as const, destination_id: found.id, event_id: event });
    },
  });
}
