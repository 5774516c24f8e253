import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { tenantScopeIn } from '../../../foundation/access/index.ts';
import { documentedEvent, isEventType } from '../../../foundation/events/index.ts';
import { NoSuchError } from '../../../foundation/platform/errors.ts';
import { isId } from '../../../foundation/platform/ids.ts';
import { PageQuery, pageOf, pageOfWhole, pageStart, WholeQuery } from '../../../foundation/platform/pages.ts';
import { type Filters, NEWEST, type Destination as Stored } from '../../../products/integrations/index.ts';
import { MANAGES, READS } from './destination-routes.ts';
import type { IntegrationsDeps } from './index.ts';
import {
  Hook,
  HookBody,
  HookDeleted,
  HookList,
  Params,
  ProjectQuery,
  SampleList,
  SampleParams,
} from './schemas.ts';

const show = ({ id, url, events, createdBy, createdAt }: Stored) => ({
  id,
  object: 'integration.hook' as const,
  target_url: url,
  event: events[0] as Stored['events'][number],
  created_by: createdBy,
  created_at: createdAt,
});

export function hookRoutes(app: FastifyInstance, deps: IntegrationsDeps): void {
  subscriptionRoutes(app, deps);
  sampleRoutes(app);
}

function subscriptionRoutes(app: FastifyInstance, { destinations }: IntegrationsDeps): void {
  app.post<{ Body: Static<typeof HookBody>; Querystring: ProjectQuery }>('/v1/integrations/zapier/hooks', {
    config: { access: MANAGES, idempotent: 'optional', errors: ['not_found'] },
    schema: {
      summary: 'Subscribe an automation tool to an event',
      description: 'A target that responds with 410 is unsubscribed.',
      querystring: ProjectQuery,
      body: HookBody,
      response: { 201: Hook },
    },
    handler: async (request, reply) => {
      const { target_url: url, event, filters = {} } = request.body;
      const more = { filters: filters as Filters, eventVersion: NEWEST, settings: {} };
      const said = { kind: 'hook' as const, name: null, url, events: [event], ...more };
      const scope = tenantScopeIn(request.caller(), request.query);
      const made = await request.once(async (keep) =>
        show(
          await destinations.create(scope, request.doer(), said, (trx, stored) => keep(trx, show(stored))),
        ),
      );
      return reply.code(201).send(made);
    },
  });

  app.get<{ Querystring: PageQuery & ProjectQuery }>('/v1/integrations/zapier/hooks', {
    config: { access: READS, errors: ['not_found'] },
    schema: {
      summary: 'List subscriptions of automation tools, newest first',
      querystring: Type.Object({ ...PageQuery.properties, ...ProjectQuery.properties }),
      response: { 200: HookList },
    },
    handler: async (request) => {
      const { query } = request;
      const rows = await destinations.list(
        tenantScopeIn(request.caller(), query),
        true,
        query,
        pageStart(query),
      );
      return pageOf(rows, query, ({ createdAt, id }) => ({ createdAt, id }), show);
    },
  });

  app.delete<{ Params: Static<typeof Params>; Querystring: ProjectQuery }>(
    '/v1/integrations/zapier/hooks/:id',
    {
      config: { access: MANAGES },
      schema: {
        summary: 'Delete the subscription of an automation tool',
        params: Params,
        querystring: ProjectQuery,
        response: { 200: HookDeleted },
      },
      handler: async (request) => {
        const { id } = request.params;
        const scope = tenantScopeIn(request.caller(), request.query);
        if (!isId('hook', id) || !(await destinations.remove(scope, request.doer(), id)))
          throw new NoSuchError('hook');
        return { id, object: 'integration.hook' as const, deleted: true as const };
      },
    },
  );
}

function sampleRoutes(app: FastifyInstance): void {
  app.get<{ Params: Static<typeof SampleParams>; Querystring: WholeQuery }>(
    '/v1/integrations/zapier/samples/:event',
    {
      config: { access: { kind: 'key' } },
      schema: {
        summary: 'Get a sample of an event, for the setup of automation tools',
        params: SampleParams,
        querystring: WholeQuery,
        response: { 200: SampleList },
      },
      handler: async (request) => {
        const { event } = request.params;
        if (!isEventType(event)) throw new NoSuchError('event');
        const samples = [documentedEvent(event).sample];
        return pageOfWhole(
          samples,
          request.query,
          () => event,
          (sample) => sample,
        );
      },
    },
  );
}
