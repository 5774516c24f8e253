import type { FastifyInstance } from 'fastify';
import type { CallAnalytics, CallReader, WholeCall } from '../../../conversation/calls/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { ApiError, NoSuchError } from '../../../foundation/platform/errors.ts';
import { pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import type { Surface } from '../../server/surface.ts';
import { CallAnalyticsQuery, CallAnalyticsView, rangeOf } from './analytics.ts';
import { FlowAnalyticsQuery, FlowAnalyticsView } from './flow-analytics.ts';
import { Call, CallList, CallParams, CallQuery, showCall } from './schemas.ts';

const config = { access: { kind: 'key', scope: 'omni:read' } } as const;
const tags = ['Calls'];

export const createCallsSurface = (
  calls: Pick<CallReader, 'list' | 'find'>,
  analytics: Pick<CallAnalytics, 'of' | 'ofFlow'>,
  clock: Pick<Clock, 'now'>,
): Surface => ({
  name: 'calls',
  routes: (app) => {
    callRoutes(app, calls);
    analyticsRoute(app, analytics, clock);
    flowAnalyticsRoute(app, analytics, clock);
  },
});

function analyticsRoute(
  app: FastifyInstance,
  analytics: Pick<CallAnalytics, 'of'>,
  clock: Pick<Clock, 'now'>,
): void {
  app.get<{ Querystring: CallAnalyticsQuery }>(
    '/v1/analytics/calls',
    {
      config,
      schema: {
        summary: 'Get call analytics for a period',
        description:
          'Returns totals, time buckets starting at `from`, and groups by `group_by`. If the period has more than 20,000 calls, only the newest are counted and `truncated` is true.',
        tags,
        querystring: CallAnalyticsQuery,
        response: { 200: CallAnalyticsView },
      },
    },
    async (request) => {
      const { query } = request;
      const range = rangeOf(query, clock.now());
      const groupBy = query.group_by ?? 'agent';
      const { agent_id, kind } = query;
      const found = await analytics.of(request.tenantScope(), {
        ...range,
        groupBy,
        filter: { agent_id, kind },
      });
      const { from, to } = range;
      const interval = query.interval ?? 'day';
      return { object: 'call_analytics' as const, from, to, interval, group_by: groupBy, ...found };
    },
  );
}

function flowAnalyticsRoute(
  app: FastifyInstance,
  analytics: Pick<CallAnalytics, 'ofFlow'>,
  clock: Pick<Clock, 'now'>,
): void {
  app.get<{ Querystring: FlowAnalyticsQuery }>(
    '/v1/analytics/flows',
    {
      config,
      schema: {
        summary: 'Get the funnel of an agent’s flow: calls by node and edge',
        description:
          'Returns how many calls reached each node, left it and ended in it. If the period has more than 20,000 calls, only the newest are counted and `truncated` is true.',
        tags,
        querystring: FlowAnalyticsQuery,
        response: { 200: FlowAnalyticsView },
      },
    },
    async (request) => {
      const { agent_id, version = null, ...period } = request.query;
      const { from, to } = rangeOf(period, clock.now());
      const query = { agentId: agent_id, version, from, to };
      const { nodes, edges, ...found } = await analytics.ofFlow(request.tenantScope(), query);
      return {
        object: 'flow_analytics' as const,
        agent_id,
        version,
        from,
        to,
        ...found,
        nodes: [...nodes],
        edges: [...edges],
      };
    },
  );
}

function callRoutes(app: FastifyInstance, calls: Pick<CallReader, 'list' | 'find'>): void {
  app.get<{ Querystring: CallQuery }>(
    '/v1/calls',
    {
      config,
      schema: {
        summary: 'List calls of all kinds, newest first',
        description:
          'Includes active calls. If several filters are set, a call must match all of them. A cursor is only valid with the filters it was returned for.',
        tags,
        querystring: CallQuery,
        response: { 200: CallList },
      },
    },
    async (request) => {
      const { query } = request;
      if (query.from !== undefined && query.to !== undefined && query.from > query.to)
        throw new ApiError('invalid_request', 'to is before from: it must be later.', {
          param: 'to',
        });
      const found = await calls.list(request.tenantScope(), query, pageStart(query));
      const end = ({ call }: WholeCall) => ({ createdAt: Number(call.created_at), id: call.id });
      return pageOf(found, query, end, showCall);
    },
  );

  app.get<{ Params: CallParams }>(
    '/v1/calls/:id',
    {
      config,
      schema: {
        summary: 'Retrieve a call with its legs, sessions, detections, recordings and cost',
        tags,
        params: CallParams,
        response: { 200: Call },
      },
    },
    async (request) => {
      const found = await calls.find(request.tenantScope(), request.params.id);
      if (found === null) throw new NoSuchError('call');
      return showCall(found);
    },
  );
}
