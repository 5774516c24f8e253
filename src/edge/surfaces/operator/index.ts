import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { LostCalls } from '../../../conversation/calls/index.ts';
import type { JobQueue } from '../../../foundation/jobs/index.ts';
import type { NodeRegistry } from '../../../foundation/nodes/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import type { Webhooks } from '../../../foundation/webhooks/index.ts';
import type { Surface } from '../../server/surface.ts';

export interface DoctorReport {
  readonly checkedAt: number;
  readonly findings: readonly {
    readonly name: string;
    readonly works: boolean;
    readonly required: boolean;
    readonly detail?: string;
  }[];
}

export interface OperatorDeps {
  /** Rejects with ApiError where the checks do not end. */
  readonly doctor: { report(): Promise<DoctorReport>; stop(): void };
  readonly nodes: NodeRegistry;
  readonly lostCalls: LostCalls;
  readonly queue: JobQueue;
  readonly webhooks: Webhooks;
  readonly clock: Clock;
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
  url: Nullable(Type.String({ description: 'The address at which other nodes reach this node.' })),
  public_url: Nullable(Type.String({ description: 'The address at which clients reach this node.' })),
  started_at: Type.Integer(),
  seen_at: Type.Integer({ description: 'When the node last renewed its lease.' }),
  is_lost: Type.Boolean({ description: 'Whether the node’s lease has expired and its calls were ended.' }),
  is_this: Type.Boolean({ description: 'Whether this node served the request.' }),
  live_calls: Type.Integer(),
  free_calls: Type.Integer({
    description: 'The number of agent calls that the node can still accept; 0 while it drains.',
  }),
  call_capacity: Type.Integer({ description: 'The maximum number of agent calls.' }),
});
const Queue = Type.Object({
  name: Type.String(),
  object: Type.Literal('queue'),
  waiting: Type.Integer(),
  running: Type.Integer(),
  dead: Type.Integer({ description: 'Jobs that failed permanently; `GET /v1/jobs/dead` lists them.' }),
});
const FailingEndpoint = Type.Object({
  object: Type.Literal('webhook.failing_endpoint'),
  org_id: Type.String(),
  host: Type.String({
    description: 'The host of the URL. The path is omitted because it can contain a secret.',
  }),
  retrying: Type.Integer(),
  dead: Type.Integer(),
  last_attempt_at: Type.Integer(),
  last_error: Nullable(Type.String()),
  last_status: Nullable(Type.Integer()),
});

const Doctor = Type.Object({
  object: Type.Literal('operator.doctor'),
  node: Type.String({ description: 'The node that was checked, which is the one that answered.' }),
  checked_at: Type.Integer(),
  works: Type.Boolean({ description: 'Whether all required parts work.' }),
  findings: Type.Array(
    Type.Object({
      name: Type.String(),
      works: Type.Boolean(),
      required: Type.Boolean({ description: 'False if the server runs without this part.' }),
      detail: Nullable(Type.String({ description: 'The reason, and the command that repairs it.' })),
    }),
  ),
});

export function createOperatorSurface(deps: OperatorDeps): Surface {
  return { name: 'operator', routes: (app) => routes(app, deps), stop: async () => deps.doctor.stop() };
}

function routes(app: FastifyInstance, deps: OperatorDeps): void {
  const { nodes, lostCalls, queue, webhooks, clock, doctor } = deps;
  app.get(
    '/v1/operator/doctor',
    {
      config: { ...config, errors: ['unavailable'] },
      schema: {
        summary: 'Check what works on this node',
        description:
          'Runs the checks of `npx trunkline doctor` in a separate process. They take a few seconds, at most two minutes. The report is cached for one minute.',
        tags,
        response: { 200: Doctor },
      },
    },
    async () => {
      const { checkedAt, findings } = await doctor.report();
      return {
        object: 'operator.doctor' as const,
        node: nodes.id,
        checked_at: checkedAt,
        works: findings.every(({ works, required }) => works || !required),
        findings: findings.map(({ name, works, required, detail = null }) => ({
          name,
          works,
          required,
          detail,
        })),
      };
    },
  );
  app.get(
    '/v1/operator/nodes',
    {
      config,
      schema: {
        summary: 'List the nodes of the cluster with their live calls',
        tags,
        response: { 200: list(Node) },
      },
    },
    async () => {
      const calls = await lostCalls.liveByNode();
      const data = (await nodes.list()).map((node) => ({
        id: node.id,
        object: 'node' as const,
        url: node.url,
        public_url: node.public_url,
        started_at: node.started_at,
        seen_at: node.seen_at,
        is_lost: node.is_lost === 1,
        is_this: node.id === nodes.id,
        live_calls: calls.get(node.id) ?? 0,
        free_calls: Number(node.calls_free),
        call_capacity: Number(node.calls_capacity),
      }));
      return { object: 'list' as const, data };
    },
  );
  app.get(
    '/v1/operator/queues',
    {
      config,
      schema: { summary: 'List the job queues with their lengths', tags, response: { 200: list(Queue) } },
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
        summary: 'List webhook hosts with failed deliveries in the last 24 hours, at most 100, worst first',
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
