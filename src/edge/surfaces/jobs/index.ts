import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { JobQueue } from '../../../foundation/jobs/index.ts';
import { NoSuchError } from '../../../foundation/platform/errors.ts';
import { DEFAULT_PAGE } from '../../../foundation/platform/pages.ts';
import type { Surface } from '../../server/surface.ts';

const Id = Type.Object({ id: Type.String() });
type Id = Static<typeof Id>;

const DeadLetterJob = Type.Object({
  id: Type.String(),
  object: Type.Literal('job.dead'),
  queue: Type.String(),
  tenant: Type.String(),
  attempts: Type.Integer(),
  error: Type.Union([Type.String(), Type.Null()]),
  created_at: Type.Integer(),
});

const DeadLetterPage = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(DeadLetterJob),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});

const DeadLetterQuery = Type.Object({
  queue: Type.Optional(Type.String({ maxLength: 100 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: DEFAULT_PAGE })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
});
type DeadLetterQuery = Static<typeof DeadLetterQuery>;

function deadLetterRoutes(app: FastifyInstance, queue: JobQueue): void {
  const operator = { kind: 'operator' } as const;
  app.get<{ Querystring: DeadLetterQuery }>('/v1/jobs/dead', {
    config: { access: operator },
    schema: {
      summary: 'List dead jobs of all queues',
      querystring: DeadLetterQuery,
      response: { 200: DeadLetterPage },
    },
    handler: async (request) => {
      const { queue: name, limit, cursor } = request.query;
      const page = await queue.dead(name ?? null, limit ?? DEFAULT_PAGE, cursor ?? null);
      const data = page.jobs.map((job) => ({
        id: job.id,
        object: 'job.dead' as const,
        queue: job.queue,
        tenant: job.tenant,
        attempts: job.attempts,
        error: job.lastError,
        created_at: job.createdAt,
      }));
      return { object: 'list' as const, data, next_cursor: page.next };
    },
  });
  app.post<{ Params: Id }>('/v1/jobs/dead/:id/retry', {
    config: { access: operator },
    schema: {
      summary: 'Requeue a dead job',
      params: Id,
      response: { 202: Type.Object({ id: Type.String(), status: Type.Literal('queued') }) },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      if (!(await queue.retry(id))) throw new NoSuchError('dead job');
      return reply.code(202).send({ id, status: 'queued' as const });
    },
  });
}

export const createQueueSurface = (queue: JobQueue): Surface => ({
  name: 'queue',
  routes: (app) => deadLetterRoutes(app, queue),
});
