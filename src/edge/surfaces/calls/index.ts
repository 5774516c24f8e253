import type { FastifyInstance } from 'fastify';
import type { CallReader, WholeCall } from '../../../conversation/calls/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import type { Surface } from '../../server/surface.ts';
import { Call, CallList, CallParams, CallQuery, showCall } from './schemas.ts';

const config = { access: { kind: 'key', scope: 'omni:read' } } as const;
const tags = ['Calls'];

/** Calls whole, whoever carries them. */
export const createCallsSurface = (calls: Pick<CallReader, 'list' | 'find'>): Surface => ({
  name: 'calls',
  routes: (app) => callRoutes(app, calls),
});

function callRoutes(app: FastifyInstance, calls: Pick<CallReader, 'list' | 'find'>): void {
  app.get<{ Querystring: CallQuery }>(
    '/v1/calls',
    {
      config,
      schema: {
        summary: 'Calls of every kind, newest first',
        description:
          'Live ones as well. Those that fit all that is asked for. A cursor belongs to the filters it was given with.',
        tags,
        querystring: CallQuery,
        response: { 200: CallList },
      },
    },
    async (request) => {
      const { query } = request;
      if (query.from !== undefined && query.to !== undefined && query.from > query.to)
        throw new ApiError('invalid_request', 'to is before from: no call was made in between.', {
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
        summary: 'One call: its legs, sessions, detections, recordings and cost',
        tags,
        params: CallParams,
        response: { 200: Call },
      },
    },
    async (request) => {
      const found = await calls.find(request.tenantScope(), request.params.id);
      if (found === null) throw new ApiError('not_found', 'There is no such call.');
      return showCall(found);
    },
  );
}
