import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { LostCalls } from '../../../conversation/calls/index.ts';
import type { JobQueue } from '../../../foundation/jobs/index.ts';
import type { NodeRegistry } from '../../../foundation/nodes/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import type { Webhooks } from '../../../foundation/webhooks/index.ts';
import type { Surface } from '../../server/surface.ts';

export interface OperatorDeps {
  readonly nodes: NodeRegistry;
  readonly lostCalls: LostCalls;
  readonly queue: JobQueue;
  readonly webhooks: Webhooks;
  readonly clock: Clock;
  /** Calls that this node would still accept, and all that it can hold. */
  readonly capacity: () => { readonly free: number; readonly total: number };
}

const config = { access: { kind: 'operator' } } as const;
const tags = ['Operator'];
const FAILING_SINCE_MS = 24 * 3600 * 1000;

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(of: T) => Type.Union([of, Type.Null()]);
const list = <T extends Parameters<typeof Type.Array>[0]>(of: T) =>
  Type.Object({ object: Type.Literal('list'), data: Type.Array(of) });

const Node = Type.Object({
  id: Type.String(),
  object: Type.Literal('node'),
  url: Nullable(Type.String({ description: 'The address at which other nodes reach it' })),
  started_at: Type.Integer(),
  seen_at: Type.Integer({ description: 'When it renewed its lease last' }),
  is_lost: Type.Boolean({ description: 'Its lease has run out, and its calls were ended' }),
  is_this: Type.Boolean({ description: 'This node has answered the request' }),
  live_calls: Type.Integer(),
  free_calls: Nullable(
    Type.Integer({ description: 'Calls that it would still accept; null for other nodes' }),
  ),
  call_capacity: Nullable(Type.Integer({ description: 'Calls that it can hold; null for other nodes' })),
});
const Queue = Type.Object({
  name: Type.String(),
  object: Type.Literal('queue'),
  waiting: Type.Integer(),
  running: Type.Integer(),
  dead: Type.Integer({ description: 'Given up; `GET /v1/jobs/dead` lists them' }),
});
const FailingEndpoint = Type.Object({
  object: Type.Literal('webhook.failing_endpoint'),
  org_id: Type.String(),
  host: Type.String({ description: 'The path is left out, because it may hold a secret' }),
  retrying: Type.Integer(),
  dead: Type.Integer(),
  last_attempt_at: Type.Integer(),
  last_error: Nullable(Type.String()),
  last_status: Nullable(Type.Integer()),
});

export function createOperatorSurface(deps: OperatorDeps): Surface {
  return { name: 'operator', routes: (app) => routes(app, deps) };
}

function routes(app: FastifyInstance, deps: OperatorDeps): void {
  const { nodes, lostCalls, queue, webhooks, clock, capacity } = deps;
  app.get(
    '/v1/operator/nodes',
    {
      config,
      schema: {
        summary: 'The nodes of the cluster with their live calls',
        tags,
        response: { 200: list(Node) },
      },
    },
    async () => {
      const calls = await lostCalls.liveByNode();
      const data = (await nodes.list()).map(({ id, url, started_at, seen_at, is_lost }) => {
        const isThis = id === nodes.id;
        const { free, total } = capacity();
        return {
          id,
          object: 'node' as const,
          url,
          started_at,
          seen_at,
          is_lost: is_lost === 1,
          is_this: isThis,
          live_calls: calls.get(id) ?? 0,
          free_calls: isThis ? free : null,
          call_capacity: isThis ? total : null,
        };
      });
      return { object: 'list' as const, data };
    },
  );
  app.get(
    '/v1/operator/queues',
    {
      config,
      schema: { summary: 'How many jobs wait in each queue', tags, response: { 200: list(Queue) } },
    },
    async () => {
      const depths = await queue.depths();
      const names = [...new Set(depths.map((depth) => depth.queue))].sort();
      const count = (name: string, state: string) =>
        Number(depths.find((depth) => depth.queue === name && depth.state === state)?.jobs ?? 0);
      const data = names.map((name) => ({
        name,
        object: 'queue' as const,
        waiting: count(name, 'waiting'),
        running: count(name, 'running'),
        dead: count(name, 'dead'),
      }));
      return { object: 'list' as const, data };
    },
  );
  app.get(
    '/v1/operator/webhooks/failing',
    {
      config,
      schema: {
        summary: 'Addresses whose deliveries failed in the last 24 hours, at most 100, worst first',
        tags,
        response: { 200: list(FailingEndpoint) },
      },
    },
    async () => {
      const failing = await webhooks.failingEndpoints(clock.now() - FAILING_SINCE_MS);
      const data = failing.map((one) => ({
        object: 'webhook.failing_endpoint' as const,
        org_id: one.orgId,
        host: one.host,
        retrying: one.retrying,
        dead: one.dead,
        last_attempt_at: one.lastAttemptAt,
        last_error: one.lastError,
        last_status: one.lastStatus,
      }));
      return { object: 'list' as const, data };
    },
  );
}
