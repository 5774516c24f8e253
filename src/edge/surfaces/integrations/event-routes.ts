import type { FastifyInstance } from 'fastify';
import { documentedEvents } from '../../../foundation/events/index.ts';
import { pageOfWhole, WholeQuery } from '../../../foundation/platform/pages.ts';
import { EventList } from './schemas.ts';

export function eventRoutes(app: FastifyInstance): void {
  app.get<{ Querystring: WholeQuery }>('/v1/integrations/events', {
    config: { access: { kind: 'key' } },
    schema: {
      summary: 'List all event types',
      description: 'Each event type has the JSON Schema of its complete body and a valid sample.',
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
