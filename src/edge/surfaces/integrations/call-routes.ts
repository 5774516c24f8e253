import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { ApiError, NoSuchError } from '../../../foundation/platform/errors.ts';
import { pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import type { ImportedCallRow } from '../../../foundation/storage/tables/integrations.ts';
import { type Delivery, isProvider, type Provider } from '../../../products/imports/index.ts';
import {
  CallEventBody,
  CallToken,
  ImportedCallList,
  ImportedCallQuery,
  ProviderParams,
  Received,
} from './call-schemas.ts';
import type { IntegrationsDeps } from './index.ts';

function providerOf({ provider }: Static<typeof ProviderParams>): Provider {
  if (!isProvider(provider)) throw new NoSuchError('call provider');
  return provider;
}

const show = (row: ImportedCallRow) => ({
  id: row.id,
  object: 'integration.call' as const,
  provider: row.provider as Provider,
  provider_call_id: row.provider_call_id,
  direction: row.direction,
  from: row.from_number,
  to: row.to_number,
  started_at: row.started_at === null ? null : Number(row.started_at),
  ended_at: row.ended_at === null ? null : Number(row.ended_at),
  status: row.state,
  job_id: row.job_id,
  error: row.error,
  created_at: Number(row.created_at),
  updated_at: Number(row.updated_at),
});

type ProviderRequest = { Params: Static<typeof ProviderParams> };

export function callRoutes(
  app: FastifyInstance,
  { tokens, calls, receiver, baseUrl }: IntegrationsDeps,
): void {
  app.post<ProviderRequest>('/v1/integrations/calls/:provider/token', {
    config: {
      access: { kind: 'key', scope: 'transcribe:jobs' },
      errors: ['call_integrations_not_entitled'],
    },
    schema: {
      summary: 'Create or replace the token with which a call provider sends its events',
      description:
        'The token is returned only in this response. Processing of the provider’s calls is billed to the project.',
      params: ProviderParams,
      response: { 201: CallToken },
    },
    handler: async (request, reply) => {
      const provider = providerOf(request.params);
      const caller = request.caller();
      if (!caller.entitlements.includes('call_integrations'))
        throw new ApiError(
          'call_integrations_not_entitled',
          'Your organization is not entitled to import calls.',
        );
      const { token, createdAt } = await tokens.mint(request.tenantScope(), caller.keyId as string, provider);
      const url = `${baseUrl()}/public/integrations/calls/${provider}/events`;
      return reply
        .code(201)
        .send({ object: 'integration.call_token' as const, provider, token, url, created_at: createdAt });
    },
  });

  app.get<{ Querystring: ImportedCallQuery }>('/v1/integrations/calls', {
    config: { access: { kind: 'key', scope: 'transcribe:jobs' } },
    schema: {
      summary: 'List calls imported from other providers, newest first',
      querystring: ImportedCallQuery,
      response: { 200: ImportedCallList },
    },
    handler: async (request) => {
      const { query } = request;
      const rows = await calls.list(request.tenantScope(), query, pageStart(query));
      return pageOf(rows, query, (row) => ({ createdAt: Number(row.created_at), id: row.id }), show);
    },
  });

  app.post<ProviderRequest & { Body: Static<typeof CallEventBody> }>(
    '/public/integrations/calls/:provider/events',
    {
      config: {
        access: { kind: 'signed' },
        errors: ['invalid_api_key', 'unauthorized', 'call_integrations_not_entitled', 'not_found'],
      },
      schema: {
        summary: 'Receive a call provider’s event: a call has ended, or its recording is available',
        description:
          'Events can arrive in any order and repeatedly; each call is imported once. An event with a timestamp older than five minutes is rejected.',
        params: ProviderParams,
        body: CallEventBody,
        response: { 202: Received },
      },
      handler: async (request, reply) => {
        const status = await receiver.take(providerOf(request.params), request.body as Delivery);
        return reply.code(202).send({ status });
      },
    },
  );
}
