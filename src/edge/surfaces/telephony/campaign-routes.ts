import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { ApiError, NoSuchError } from '../../../foundation/platform/errors.ts';
import { isId } from '../../../foundation/platform/ids.ts';
import { pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import type { UrlGate } from '../../../foundation/platform/url-gate/index.ts';
import type { TelephonyCampaignRow } from '../../../foundation/storage/tables/telephony.ts';
import {
  type CallDispatcher,
  type Campaigns,
  type CampaignTargets,
  campaignView,
  checkMessage,
  inBatches,
  isZone,
  readTargets,
  targetEnd,
  targetView,
} from '../../../telephony/dialling/index.ts';
import { defineForm } from '../../server/surface.ts';
import { MANAGE } from './access.ts';
import {
  Campaign,
  CampaignBody,
  CampaignChangeBody,
  CampaignDeleted,
  CampaignList,
  CampaignParams,
  CampaignQuery,
  Report,
  TargetFilterQuery,
  TargetList,
  TargetQuery,
  TargetsAdded,
} from './campaign-schemas.ts';
import { checkUrl } from './check-url.ts';

export interface CampaignRoutesDeps {
  readonly campaigns: Campaigns;
  readonly targets: CampaignTargets;
  readonly dispatcher: CallDispatcher;
  readonly gate: Pick<UrlGate, 'check'>;
}

const tags = ['Telephony'];
const MAX_CSV_BYTES = 32 * 1024 * 1024;
const form = defineForm(Type.Object({}), {
  file: {
    required: true,
    description: 'A CSV file with a column `to` (E.164). The other columns are variables.',
  },
});

export function campaignRoutes(app: FastifyInstance, deps: CampaignRoutesDeps): void {
  const { campaigns, dispatcher, gate } = deps;

  app.post<{ Body: CampaignBody }>('/v1/telephony/campaigns', {
    config: { ...MANAGE, idempotent: 'optional', errors: ['destination_not_allowed'] },
    schema: {
      summary: 'Create a campaign',
      description:
        'The campaign is a draft; calls begin when it is started. Add targets from a CSV file with the `targets` route.',
      tags,
      body: CampaignBody,
      response: { 201: Campaign },
    },
    handler: async (request, reply) => {
      const { body } = request;
      checkPlan(gate, body);
      const view = await request.once(async (keep) => {
        await dispatcher.checkParties(request.tenantScope(), body.from, body.agent_id);
        const targets = (body.targets ?? []).map(({ to, variables = {} }) => ({ to, variables }));
        const row = await campaigns.create(
          request.caller(),
          {
            name: body.name,
            from: body.from,
            agentId: body.agent_id,
            plan: planOf(body),
            targets: inBatches(targets),
          },
          (trx, made) => keep(trx, campaignView(made)),
        );
        return campaignView(row);
      });
      return reply.code(201).send(view);
    },
  });

  app.get<{ Querystring: Static<typeof CampaignQuery> }>('/v1/telephony/campaigns', {
    config: MANAGE,
    schema: {
      summary: 'List campaigns, newest first',
      tags,
      querystring: CampaignQuery,
      response: { 200: CampaignList },
    },
    handler: async (request) => {
      const rows = await campaigns.list(request.tenantScope(), request.query, pageStart(request.query));
      const end = (row: TelephonyCampaignRow) => ({ createdAt: Number(row.created_at), id: row.id });
      return pageOf(rows, request.query, end, campaignView);
    },
  });

  app.get<{ Params: CampaignParams }>('/v1/telephony/campaigns/:campaign_id', {
    config: MANAGE,
    schema: { summary: 'Retrieve a campaign', tags, params: CampaignParams, response: { 200: Campaign } },
    handler: async (request) => campaignView(await campaigns.find(request.tenantScope(), idOf(request))),
  });

  app.patch<{ Params: CampaignParams; Body: CampaignChangeBody }>('/v1/telephony/campaigns/:campaign_id', {
    config: { ...MANAGE, errors: ['campaign_state'] },
    schema: {
      summary: 'Update a campaign',
      description:
        'A merge patch, also within objects: omitted fields are unchanged, and `null` clears a field. The change applies from the next target. A finished campaign cannot be changed.',
      tags,
      params: CampaignParams,
      body: CampaignChangeBody,
      response: { 200: Campaign },
    },
    handler: async (request) => {
      const { body } = request;
      const scope = request.tenantScope();
      const before = campaignView(await campaigns.find(scope, idOf(request)));
      const from = body.from ?? before.from;
      if (body.from !== undefined || body.agent_id !== undefined)
        await dispatcher.checkParties(scope, from, body.agent_id ?? before.agent_id);
      const { name, from: asked, agent_id: agentId, ...plan } = body;
      const change = { name, from: asked, agentId, plan };
      const after = await campaigns.change(scope, before.id, change, (whole) => checkPlan(gate, whole));
      return campaignView(after);
    },
  });

  app.delete<{ Params: CampaignParams }>('/v1/telephony/campaigns/:campaign_id', {
    config: { ...MANAGE, errors: ['campaign_state'] },
    schema: {
      summary: 'Delete a campaign and its targets',
      description: 'Calls of the campaign are not deleted. A running campaign is paused first.',
      tags,
      params: CampaignParams,
      response: { 200: CampaignDeleted },
    },
    handler: async (request) => {
      const id = idOf(request);
      await campaigns.remove(request.tenantScope(), id);
      return { id, object: 'telephony.campaign' as const, deleted: true as const };
    },
  });

  addRoutes(app, deps);
  targetRoutes(app, deps);
  stateRoutes(app, deps);
}

type CheckedPlan = Pick<CampaignBody, 'webhook_url' | 'windows' | 'message' | 'amd'>;

function checkPlan(gate: Pick<UrlGate, 'check'>, plan: CheckedPlan): void {
  const refuse = (message: string, param: string) => {
    throw new ApiError('invalid_request', message, { param });
  };
  const { webhook_url: url, windows, message, amd } = plan;
  if (typeof url === 'string') checkUrl(gate, url, 'webhook_url');
  const zone = windows?.time_zone;
  if (zone !== undefined && !isZone(zone))
    refuse('timezone must be an IANA time zone such as Europe/Madrid.', 'windows.time_zone');
  if (windows && windows.from === windows.to)
    refuse('A window must not end at its start time; omit `windows` to call at any hour.', 'windows.to');
  checkMessage(message, amd);
}

function addRoutes(app: FastifyInstance, { campaigns }: CampaignRoutesDeps): void {
  app.post<{ Params: CampaignParams }>('/v1/telephony/campaigns/:campaign_id/targets', {
    config: { ...MANAGE, form: form.schema, errors: ['campaign_state'] },
    schema: {
      summary: 'Add targets from a CSV file',
      description:
        'A campaign can have up to 100,000 targets. The first row contains the column names. If a line is invalid, the whole file is rejected with its line number.',
      tags,
      params: CampaignParams,
      response: { 200: TargetsAdded },
    },
    handler: async (request) => {
      const id = idOf(request);
      await campaigns.find(request.tenantScope(), id);
      const { files } = await form.read(request, {
        maxBytes: MAX_CSV_BYTES,
        store: async ({ bytes }) => Buffer.concat(await bytes.toArray()),
        discard: async () => {},
      });
      const targets = await readTargets(files.file!, request.tenantScope().org);
      const all = await campaigns.add(request.tenantScope(), id, targets);
      return {
        object: 'telephony.campaign_targets' as const,
        campaign_id: id,
        added: targets.count,
        targets: all,
      };
    },
  });
}

function targetRoutes(app: FastifyInstance, { campaigns, targets }: CampaignRoutesDeps): void {
  app.get<{ Params: CampaignParams; Querystring: Static<typeof TargetQuery> }>(
    '/v1/telephony/campaigns/:campaign_id/targets',
    {
      config: MANAGE,
      schema: {
        summary: 'List the targets of a campaign, in the order in which they were added',
        tags,
        params: CampaignParams,
        querystring: TargetQuery,
        response: { 200: TargetList },
      },
      handler: async (request) => {
        const { query } = request;
        const { id } = await campaigns.find(request.tenantScope(), idOf(request));
        const rows = await targets.list(request.tenantScope(), id, query, query, pageStart(query));
        return pageOf(rows, query, targetEnd, targetView);
      },
    },
  );

  app.get<{ Params: CampaignParams; Querystring: Static<typeof TargetFilterQuery> }>(
    '/v1/telephony/campaigns/:campaign_id/export',
    {
      config: MANAGE,
      schema: {
        summary: 'Export the targets of a campaign as CSV',
        description: 'Each row has the outcome of the target, followed by its variables.',
        tags,
        params: CampaignParams,
        querystring: TargetFilterQuery,
        response: {
          200: { description: 'The CSV file.', content: { 'text/csv': { schema: { type: 'string' } } } },
        },
      },
      handler: async (request, reply) => {
        const { id } = await campaigns.find(request.tenantScope(), idOf(request));
        const table = Readable.from(targets.csv(request.tenantScope(), id, request.query));
        return await reply
          .type('text/csv; charset=utf-8')
          .header('content-disposition', `attachment; filename="${id}.csv"`)
          .send(table);
      },
    },
  );

  app.get<{ Params: CampaignParams }>('/v1/telephony/campaigns/:campaign_id/report', {
    config: MANAGE,
    schema: {
      summary: 'Get the report of a campaign',
      tags,
      params: CampaignParams,
      response: { 200: Report },
    },
    handler: async (request) => {
      const { id, state, waiting_for } = await campaigns.find(request.tenantScope(), idOf(request));
      const { waiting, calling, done, attempts, outcomes } = await campaigns.report(
        request.tenantScope(),
        id,
      );
      return {
        object: 'telephony.campaign_report' as const,
        campaign_id: id,
        state,
        waiting_for,
        targets: { waiting, calling, done },
        attempts,
        outcomes: { ...outcomes },
      };
    },
  });
}

function stateRoutes(app: FastifyInstance, { campaigns }: CampaignRoutesDeps): void {
  const config = { ...MANAGE, errors: ['campaign_state'] } as const;

  app.post<{ Params: CampaignParams }>('/v1/telephony/campaigns/:campaign_id/start', {
    config,
    schema: {
      summary: 'Start or resume a campaign',
      tags,
      params: CampaignParams,
      response: { 200: Campaign },
    },
    handler: async (request) => campaignView(await campaigns.start(request.tenantScope(), idOf(request))),
  });

  app.post<{ Params: CampaignParams }>('/v1/telephony/campaigns/:campaign_id/pause', {
    config,
    schema: {
      summary: 'Pause a campaign',
      description: 'Calls in progress continue.',
      tags,
      params: CampaignParams,
      response: { 200: Campaign },
    },
    handler: async (request) => campaignView(await campaigns.pause(request.tenantScope(), idOf(request))),
  });
}

const planOf = (body: CampaignBody) => ({
  windows: body.windows ?? null,
  pacing: body.pacing ?? {},
  retries: body.retries ?? null,
  amd: body.amd ?? null,
  message: body.message ?? null,
  webhook_url: body.webhook_url ?? null,
});

function idOf({ params }: FastifyRequest<{ Params: CampaignParams }>): string {
  if (isId('camp', params.campaign_id)) return params.campaign_id;
  throw new NoSuchError('campaign');
}
