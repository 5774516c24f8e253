import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { ApiError } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { pageOf, pageStart } from '../../platform/pages.ts';
import type { UrlGate } from '../../platform/url-gate/index.ts';
import { defineForm } from '../../server/surface.ts';
import type { TelephonyCampaignRow } from '../../storage/tables/telephony.ts';
import { type CallDesk, type Campaigns, campaignView, isZone, readTargets } from '../../telephony/index.ts';
import {
  Campaign,
  CampaignBody,
  CampaignList,
  CampaignParams,
  CampaignQuery,
  Report,
  TargetsAdded,
} from './campaign-schemas.ts';
import { checkUrl } from './check-url.ts';

export interface CampaignRoutesDeps {
  readonly campaigns: Campaigns;
  readonly desk: CallDesk;
  readonly gate: Pick<UrlGate, 'check'>;
}

const tags = ['Telephony'];
const MANAGE = { access: { kind: 'key', scope: 'telephony:manage' } } as const;
const MOST_CSV_BYTES = 32 * 1024 * 1024;
const form = defineForm(Type.Object({}), {
  file: { required: true, description: 'CSV: a column `to` (E.164), the others are variables' },
});

export function campaignRoutes(app: FastifyInstance, deps: CampaignRoutesDeps): void {
  const { campaigns, desk, gate } = deps;

  app.post<{ Body: CampaignBody }>('/v1/telephony/campaigns', {
    config: { ...MANAGE, idempotent: 'optional', errors: ['destination_not_allowed'] },
    schema: {
      summary: 'Plan calls to many',
      description: 'A draft: nobody is called before it is started. A CSV of targets goes to its `targets`.',
      tags,
      body: CampaignBody,
      response: { 201: Campaign },
    },
    handler: async (request, reply) => {
      const { body } = request;
      if (typeof body.webhook_url === 'string') checkUrl(gate, body.webhook_url, 'webhook_url');
      const zone = body.windows?.time_zone;
      if (zone !== undefined && !isZone(zone))
        throw new ApiError('invalid_request', 'There is no such time zone.', { param: 'windows.time_zone' });
      const view = await request.once(async (keep) => {
        await desk.checkParties(request.reach(), body.from, body.agent_id);
        const targets = (body.targets ?? []).map(({ to, variables = {} }) => ({ to, variables }));
        const row = await campaigns.create(
          request.caller(),
          { name: body.name, from: body.from, agentId: body.agent_id, plan: planOf(body), targets },
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
      summary: 'Campaigns, newest first',
      tags,
      querystring: CampaignQuery,
      response: { 200: CampaignList },
    },
    handler: async (request) => {
      const rows = await campaigns.list(request.reach(), request.query, pageStart(request.query));
      const end = (row: TelephonyCampaignRow) => ({ createdAt: Number(row.created_at), id: row.id });
      return pageOf(rows, request.query, end, campaignView);
    },
  });

  app.get<{ Params: CampaignParams }>('/v1/telephony/campaigns/:campaign_id', {
    config: MANAGE,
    schema: { summary: 'One campaign', tags, params: CampaignParams, response: { 200: Campaign } },
    handler: async (request) => campaignView(await campaigns.find(request.reach(), idOf(request))),
  });

  targetRoutes(app, deps);
  moveRoutes(app, deps);
}

function targetRoutes(app: FastifyInstance, { campaigns }: CampaignRoutesDeps): void {
  app.post<{ Params: CampaignParams }>('/v1/telephony/campaigns/:campaign_id/targets', {
    config: { ...MANAGE, form: form.schema, errors: ['campaign_state'] },
    schema: {
      summary: 'Add targets from a CSV',
      description:
        'Up to 100,000 in all. Its first row names the columns. A line that is wrong refuses the file, by its number.',
      tags,
      params: CampaignParams,
      response: { 200: TargetsAdded },
    },
    handler: async (request) => {
      const id = idOf(request);
      await campaigns.find(request.reach(), id);
      const { files } = await form.read(request, {
        maxBytes: MOST_CSV_BYTES,
        store: async ({ bytes }) => Buffer.concat(await bytes.toArray()),
        discard: async () => {},
      });
      const targets = readTargets(files.file!);
      const all = await campaigns.add(request.reach(), id, targets);
      return {
        object: 'telephony.campaign_targets' as const,
        campaign_id: id,
        added: targets.length,
        targets: all,
      };
    },
  });

  app.get<{ Params: CampaignParams }>('/v1/telephony/campaigns/:campaign_id/report', {
    config: MANAGE,
    schema: { summary: 'How far a campaign is', tags, params: CampaignParams, response: { 200: Report } },
    handler: async (request) => {
      const { id, state } = await campaigns.find(request.reach(), idOf(request));
      const { waiting, calling, done, attempts, outcomes } = await campaigns.report(request.reach(), id);
      return {
        object: 'telephony.campaign_report' as const,
        campaign_id: id,
        state,
        targets: { waiting, calling, done },
        attempts,
        outcomes: { ...outcomes },
      };
    },
  });
}

function moveRoutes(app: FastifyInstance, { campaigns }: CampaignRoutesDeps): void {
  const config = { ...MANAGE, errors: ['campaign_state'] } as const;

  app.post<{ Params: CampaignParams }>('/v1/telephony/campaigns/:campaign_id/start', {
    config,
    schema: {
      summary: 'Begin to call, or go on after a pause',
      tags,
      params: CampaignParams,
      response: { 200: Campaign },
    },
    handler: async (request) => campaignView(await campaigns.start(request.reach(), idOf(request))),
  });

  app.post<{ Params: CampaignParams }>('/v1/telephony/campaigns/:campaign_id/pause', {
    config,
    schema: {
      summary: 'Dial nobody else for now',
      description: 'Calls that are under way go on.',
      tags,
      params: CampaignParams,
      response: { 200: Campaign },
    },
    handler: async (request) => campaignView(await campaigns.pause(request.reach(), idOf(request))),
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
  throw new ApiError('not_found', 'There is no such campaign.');
}
