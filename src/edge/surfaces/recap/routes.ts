import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { tenantScopeOf } from '../../../foundation/access/index.ts';
import { ApiError, NoSuchError } from '../../../foundation/platform/errors.ts';
import { isId } from '../../../foundation/platform/ids.ts';
import { pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import { GateError, type UrlGate } from '../../../foundation/platform/url-gate/index.ts';
import type { RecapCallRow } from '../../../foundation/storage/tables/recap.ts';
import { type RecapCalls, type RecapSettingsStore, viewOf } from '../../../products/recap/index.ts';
import {
  Call,
  CallDeleted,
  CallList,
  CallQuery,
  Config,
  ConfigBody,
  Crm,
  CrmBody,
  Params,
  SpeakersBody,
} from './schemas.ts';

export interface RecapRoutesDeps {
  readonly settings: RecapSettingsStore;
  readonly calls: RecapCalls;
  readonly urls: Pick<UrlGate, 'check'>;
}

const tags = ['Recap'];
const READ = { access: { kind: 'key', scope: 'recap:read' } } as const;
const CONFIGURE = { access: { kind: 'key', scope: 'recap:configure' } } as const;

export function configRoutes(app: FastifyInstance, { settings, urls }: RecapRoutesDeps): void {
  app.get('/v1/recap/config', {
    config: CONFIGURE,
    schema: { summary: 'Get the post-call settings', tags, response: { 200: Config } },
    handler: async (request) => {
      const { config } = await settings.of(tenantScopeOf(request.caller()));
      return { object: 'recap.config' as const, ...config };
    },
  });

  app.put<{ Body: Static<typeof ConfigBody> }>('/v1/recap/config', {
    config: CONFIGURE,
    schema: {
      summary: 'Set the post-call settings',
      tags,
      body: ConfigBody,
      response: { 200: Config },
    },
    handler: async (request) => {
      const { enabled = true, webhook_url = null } = request.body;
      if (webhook_url !== null) checkUrl(urls, webhook_url);
      const { config } = await settings.put(tenantScopeOf(request.caller()), {
        config: { enabled, webhook_url },
      });
      return { object: 'recap.config' as const, ...config };
    },
  });

  app.get('/v1/recap/crm-config', {
    config: CONFIGURE,
    schema: { summary: 'Get the CRM field mapping', tags, response: { 200: Crm } },
    handler: async (request) => {
      const { fields } = await settings.of(tenantScopeOf(request.caller()));
      return { object: 'recap.crm_config' as const, fields: [...fields] };
    },
  });

  app.put<{ Body: Static<typeof CrmBody> }>('/v1/recap/crm-config', {
    config: CONFIGURE,
    schema: { summary: 'Set the CRM field mapping', tags, body: CrmBody, response: { 200: Crm } },
    handler: async (request) => {
      const { fields } = request.body;
      const odd = fields.find(({ type, values }) => (type === 'enum') !== (values !== undefined));
      if (odd !== undefined)
        throw new ApiError('invalid_request', `${odd.name}: values are allowed only with the type enum.`, {
          param: 'fields',
        });
      await settings.put(tenantScopeOf(request.caller()), { fields });
      return { object: 'recap.crm_config' as const, fields };
    },
  });
}

export function callRoutes(app: FastifyInstance, { calls, settings }: RecapRoutesDeps): void {
  app.get<{ Querystring: Static<typeof CallQuery> }>('/v1/recap/calls', {
    config: READ,
    schema: {
      summary: 'List call records, newest first',
      tags,
      querystring: CallQuery,
      response: { 200: CallList },
    },
    handler: async (request) => {
      const { query } = request;
      const rows = await calls.list(tenantScopeOf(request.caller()), query, query, pageStart(query));
      const end = (row: RecapCallRow) => ({ createdAt: Number(row.created_at), id: row.id });
      return pageOf(rows, query, end, viewOf);
    },
  });

  app.get<{ Params: Static<typeof Params> }>('/v1/recap/calls/:id', {
    config: READ,
    schema: { summary: 'Retrieve a call record', tags, params: Params, response: { 200: Call } },
    handler: async (request) => {
      const { id } = request.params;
      const row = isId('rcp', id) ? await calls.find(tenantScopeOf(request.caller()), id) : null;
      if (row === null) throw new NoSuchError('call');
      return viewOf(row);
    },
  });

  app.patch<{ Params: Static<typeof Params>; Body: Static<typeof SpeakersBody> }>(
    '/v1/recap/calls/:id/speakers',
    {
      config: { ...READ, errors: ['version_conflict'] },
      schema: {
        summary: 'Set the roles of the speakers in a call record',
        description: 'Fields that depend on the roles are computed again.',
        tags,
        params: Params,
        body: SpeakersBody,
        response: { 200: Call },
      },
      handler: async (request) => {
        const { id } = request.params;
        if (!isId('rcp', id)) throw new NoSuchError('call');
        const scope = tenantScopeOf(request.caller());
        const roles = Object.fromEntries(request.body.speakers.map(({ label, role }) => [label, role]));
        const { fields, config } = await settings.of(scope);
        return await calls.correct(scope, id, roles, { fields, webhookUrl: config.webhook_url });
      },
    },
  );

  app.delete<{ Params: Static<typeof Params> }>('/v1/recap/calls/:id', {
    config: { ...CONFIGURE, errors: ['not_found', 'legal_hold'] },
    schema: {
      summary: 'Delete a call record',
      description:
        'Deletes the record with its transcript and scores. The call or transcription job that it was created from is not deleted.',
      tags,
      params: Params,
      response: { 200: CallDeleted },
    },
    handler: async (request) => {
      const { id } = request.params;
      const removed = isId('rcp', id) && (await calls.remove(tenantScopeOf(request.caller()), id));
      if (!removed) throw new NoSuchError('call');
      return { id, object: 'recap.call' as const, deleted: true as const };
    },
  });
}

function checkUrl(urls: Pick<UrlGate, 'check'>, url: string): void {
  try {
    urls.check(url);
  } catch (error) {
    if (error instanceof GateError)
      throw new ApiError('invalid_request', error.message, { param: 'webhook_url', cause: error });
    throw error;
  }
}
