import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { tenantScopeOf } from '../../../foundation/access/index.ts';
import { ApiError, NoSuchError } from '../../../foundation/platform/errors.ts';
import { isId } from '../../../foundation/platform/ids.ts';
import { pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import type { TraceResultRow } from '../../../foundation/storage/tables/trace.ts';
import { DIMENSIONS, type Dimension, type Results, resultView } from '../../../products/trace/index.ts';
import { Exposure, ExposureQuery, MoveBody, PackParams, Result, ResultList, ResultQuery } from './schemas.ts';

const tags = ['Trace'];
const READ = { access: { kind: 'key', scope: 'trace:read' } } as const;
const CONFIGURE = { access: { kind: 'key', scope: 'trace:configure' } } as const;

export function resultRoutes(app: FastifyInstance, results: Results): void {
  for (const outcome of ['violation', 'finding'] as const) {
    app.get<{ Querystring: Static<typeof ResultQuery> }>(`/v1/trace/${outcome}s`, {
      config: READ,
      schema: {
        summary: outcome === 'violation' ? 'List violations, newest first' : 'List findings, newest first',
        tags,
        querystring: ResultQuery,
        response: { 200: ResultList },
      },
      handler: async (request) => {
        const { query } = request;
        const rows = await results.list(
          tenantScopeOf(request.caller()),
          outcome,
          query,
          query,
          pageStart(query),
        );
        const end = (row: TraceResultRow) => ({ createdAt: Number(row.created_at), id: row.id });
        return pageOf(rows, query, end, resultView);
      },
    });

    app.patch<{ Params: Static<typeof PackParams>; Body: Static<typeof MoveBody> }>(
      `/v1/trace/${outcome}s/:id`,
      {
        config: CONFIGURE,
        schema: {
          summary: `Acknowledge, dismiss, remediate or reopen a ${outcome}`,
          description: 'A dismissal requires a reason. The user and the time of the change are recorded.',
          tags,
          params: PackParams,
          body: MoveBody,
          response: { 200: Result },
        },
        handler: async (request) => {
          const { id } = request.params;
          if (!isId('tres', id)) throw new NoSuchError(outcome);
          const { status: to, reason = null } = request.body;
          return await results.move(tenantScopeOf(request.caller()), outcome, id, {
            to,
            reason,
            by: request.doer(),
          });
        },
      },
    );
  }

  app.get<{ Querystring: Static<typeof ExposureQuery> }>('/v1/trace/exposure', {
    config: READ,
    schema: {
      summary: 'Get the number of violations and their estimated exposure',
      tags,
      querystring: ExposureQuery,
      response: { 200: Exposure },
    },
    handler: async (request) => {
      const { by = 'pack', ...days } = request.query;
      const dimensions = [...new Set(by.split(','))];
      if (!dimensions.every(isDimension))
        throw new ApiError(
          'invalid_request',
          'by must be a comma-separated list of pack, agent, version and day.',
          { param: 'by' },
        );
      const data = await results.exposure(tenantScopeOf(request.caller()), dimensions as Dimension[], days);
      return { object: 'trace.exposure' as const, by: dimensions, data };
    },
  });
}

const isDimension = (name: string): name is Dimension => Object.hasOwn(DIMENSIONS, name);
