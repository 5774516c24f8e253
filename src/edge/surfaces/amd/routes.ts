import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import type { Principal } from '../../../foundation/access/contract.ts';
import { tenantScopeOf } from '../../../foundation/access/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { isId } from '../../../foundation/platform/ids.ts';
import { pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import { GateError, type UrlGate } from '../../../foundation/platform/url-gate/index.ts';
import type { AmdCallRow } from '../../../foundation/storage/tables/amd.ts';
import {
  type AmdCallStore,
  type AmdSettingsStore,
  evidenceSvg,
  reportOf,
  viewOf,
} from '../../../products/amd/index.ts';
import type { Models } from '../../../speech/amd/index.ts';
import {
  Call,
  CallList,
  CallParams,
  CallQuery,
  Config,
  ConfigBody,
  Report,
  ReportQuery,
  VerdictBody,
} from './schemas.ts';

export interface AmdRoutesDeps {
  readonly calls: AmdCallStore;
  readonly settings: AmdSettingsStore;
  readonly gate: Pick<UrlGate, 'check'>;
  readonly models: Models;
}

const tags = ['AMD'];
const CONFIGURE = { access: { kind: 'key', scope: 'amd:configure' } } as const;
const READ = { access: { kind: 'key', scope: 'amd:read' } } as const;
const MAX_REPORTED_CALLS = 1000;

export function amdRoutes(app: FastifyInstance, deps: AmdRoutesDeps): void {
  configRoutes(app, deps);
  callRoutes(app, deps);

  app.get<{ Querystring: Static<typeof ReportQuery> }>('/v1/amd/report', {
    config: READ,
    schema: {
      summary: 'Get an accuracy report over calls with human-verified verdicts',
      description:
        'With `aggressiveness`, the stored evidence of each call is evaluated again at that setting, to show which verdicts it would have produced.',
      tags,
      querystring: ReportQuery,
      response: { 200: Report },
    },
    handler: async (request) => {
      const rows = await deps.calls.corrected(tenantScopeOf(request.caller()), MAX_REPORTED_CALLS);
      return reportOf(rows, deps.models.answers, request.query.aggressiveness);
    },
  });
}

function configRoutes(app: FastifyInstance, { settings, gate }: AmdRoutesDeps): void {
  const show = (stored: Awaited<ReturnType<AmdSettingsStore['get']>>) => ({
    object: 'amd.config' as const,
    ...stored,
  });

  app.get('/v1/amd/config', {
    config: CONFIGURE,
    schema: { summary: 'Get the detection settings', tags, response: { 200: Config } },
    handler: async (request) => show(await settings.get(tenantScopeOf(request.caller()))),
  });

  app.post<{ Body: Static<typeof ConfigBody> }>('/v1/amd/config', {
    config: CONFIGURE,
    schema: {
      summary: 'Update the detection settings',
      description: 'Omitted fields are unchanged. Parameters of a stream override these settings.',
      tags,
      body: ConfigBody,
      response: { 200: Config },
    },
    handler: async (request) => {
      const { aggressiveness, ...rest } = request.body;
      if (typeof rest.webhook_url === 'string') checkUrl(gate, rest.webhook_url);
      const change = {
        ...rest,
        ...(aggressiveness === undefined ? {} : { aggressiveness: Number(aggressiveness) }),
      };
      return show(await settings.change(tenantScopeOf(request.caller()), change));
    },
  });
}

function callRoutes(app: FastifyInstance, { calls }: AmdRoutesDeps): void {
  app.get<{ Querystring: Static<typeof CallQuery> }>('/v1/amd/calls', {
    config: READ,
    schema: {
      summary: 'List calls with a verdict, newest first',
      tags,
      querystring: CallQuery,
      response: { 200: CallList },
    },
    handler: async (request) => {
      const rows = await calls.list(
        tenantScopeOf(request.caller()),
        request.query,
        request.query,
        pageStart(request.query),
      );
      const end = (row: AmdCallRow) => ({ createdAt: Number(row.created_at), id: row.id });
      return pageOf(rows, request.query, end, viewOf);
    },
  });

  app.get<{ Params: Static<typeof CallParams> }>('/v1/amd/calls/:call_id', {
    config: READ,
    schema: {
      summary: 'Retrieve a call with its evidence',
      tags,
      params: CallParams,
      response: { 200: Call },
    },
    handler: async (request) => viewOf(await find(calls, request.caller(), request.params)),
  });

  app.get<{ Params: Static<typeof CallParams> }>('/v1/amd/calls/:call_id/picture', {
    config: READ,
    schema: {
      summary: 'Get a chart of a call’s evidence over time, as SVG',
      tags,
      params: CallParams,
      response: {
        200: { description: 'An SVG image.', content: { 'image/svg+xml': { schema: { type: 'string' } } } },
      },
    },
    handler: async (request, reply) => {
      const row = await find(calls, request.caller(), request.params);
      return reply
        .type('image/svg+xml; charset=utf-8')
        .send(evidenceSvg(viewOf(row), JSON.parse(row.evidence)));
    },
  });

  app.post<{ Params: Static<typeof CallParams>; Body: Static<typeof VerdictBody> }>(
    '/v1/amd/calls/:call_id/verdict',
    {
      config: CONFIGURE,
      schema: {
        summary: 'Submit the correct verdict for a call',
        description: 'The original verdict is kept; the report compares the two.',
        tags,
        params: CallParams,
        body: VerdictBody,
        response: { 200: Call },
      },
      handler: async (request) => {
        const { call_id: id } = request.params;
        const call = isId('amd', id)
          ? await calls.correct(tenantScopeOf(request.caller()), id, request.body.answered_by)
          : null;
        if (call === null) throw notFound();
        return call;
      },
    },
  );
}

async function find(
  calls: AmdCallStore,
  caller: Principal,
  { call_id: id }: { call_id: string },
): Promise<AmdCallRow> {
  const row = isId('amd', id) ? await calls.find(tenantScopeOf(caller), id) : null;
  if (row === null) throw notFound();
  return row;
}

const notFound = (): ApiError => new ApiError('not_found', 'there is no such call');

function checkUrl(gate: Pick<UrlGate, 'check'>, url: string): void {
  try {
    gate.check(url);
  } catch (error) {
    if (error instanceof GateError)
      throw new ApiError('invalid_request', error.message, { param: 'webhook_url', cause: error });
    throw error;
  }
}
