import type { FastifyInstance } from 'fastify';
import { documentedEvents } from '../../../foundation/events/index.ts';
import { pageOfWhole, WholeQuery } from '../../../foundation/platform/pages.ts';
import { EventList } from './schemas.ts';

export function eventRoutes(app: FastifyInstance): void {
  app.get<{ Querystring: WholeQuery }>('/v1/integrations/events', {
    config: { access: { kind: 'key' } },
    schema: {
      summary: 'Every event that your servers can be told of',
      description: 'Each with the JSON Schema of its whole body and a sample that the schema takes.',
      querystring: WholeQuery,
      response: { 200: EventList },
    },
    handler: async ({ query }) =>
      pageOfWhole(
        documentedEvents(),
        query,
        ({ type }) => type,
        (event) => event,
      ),
  });
}
