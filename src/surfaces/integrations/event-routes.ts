import type { FastifyInstance } from 'fastify';
import { shownEvents } from '../../events/index.ts';
import { listOf } from '../../platform/pages.ts';
import { EventList } from './schemas.ts';

export function eventRoutes(app: FastifyInstance): void {
  app.get('/v1/integrations/events', {
    config: { access: { kind: 'key' } },
    schema: {
      summary: 'Every event that your servers can be told of',
      description: 'Each with the JSON Schema of its whole body and a sample that the schema takes.',
      response: { 200: EventList },
    },
    handler: async () => listOf(shownEvents()),
  });
}
