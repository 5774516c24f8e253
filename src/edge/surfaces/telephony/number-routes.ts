import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { NoSuchError } from '../../../foundation/platform/errors.ts';
import { isId } from '../../../foundation/platform/ids.ts';
import { DEFAULT_PAGE, pageOf, pageOfWhole, pageStart } from '../../../foundation/platform/pages.ts';
import type { UrlGate } from '../../../foundation/platform/url-gate/index.ts';
import type { TelephonyNumberRow } from '../../../foundation/storage/tables/telephony.ts';
import { numberView, type PhoneNumberService } from '../../../telephony/dialling/index.ts';
import { MANAGE } from './access.ts';
import { checkUrl } from './check-url.ts';
import {
  AvailableList,
  AvailableQuery,
  Deleted,
  NumberBody,
  NumberChangeBody,
  NumberList,
  NumberParams,
  NumberQuery,
  NumberView,
} from './schemas.ts';

const tags = ['Telephony'];
const MAX_OFFERED_NUMBERS = 100;

export function numberRoutes(
  app: FastifyInstance,
  numbers: PhoneNumberService,
  gate: Pick<UrlGate, 'check'>,
): void {
  app.get<{ Querystring: Static<typeof AvailableQuery> }>('/v1/telephony/available-numbers', {
    config: MANAGE,
    schema: {
      summary: 'List available phone numbers',
      tags,
      querystring: AvailableQuery,
      response: { 200: AvailableList },
    },
    handler: async ({ query }) => {
      const found = await numbers.available({
        country: query.country,
        numberType: query.number_type ?? null,
        capabilities: query.capabilities === undefined ? [] : [query.capabilities],
        pattern: query.pattern ?? null,
        limit: MAX_OFFERED_NUMBERS,
      });
      return pageOfWhole(
        found,
        { ...query, limit: query.limit ?? DEFAULT_PAGE },
        ({ phoneNumber }) => phoneNumber,
        ({ phoneNumber, country, numberType, capabilities }) => ({
          object: 'telephony.available_number' as const,
          phone_number: phoneNumber,
          country,
          number_type: numberType,
          capabilities: [...capabilities],
        }),
      );
    },
  });

  app.post<{ Body: Static<typeof NumberBody> }>('/v1/telephony/numbers', {
    config: { ...MANAGE, idempotent: 'optional', meters: true, errors: ['numbers_max_exceeded'] },
    schema: {
      summary: 'Buy a phone number, and optionally assign an agent',
      description:
        'In countries that require a compliance case (GB, AU, IN), the number is `pending_compliance` until an approved case names it.',
      tags,
      body: NumberBody,
      response: { 201: NumberView },
    },
    handler: async (request, reply) => {
      const { phone_number: phoneNumber, agent_id: agentId = null } = request.body;
      const view = await request.once(async (keep) =>
        numberView(
          await numbers.provision(request.caller(), phoneNumber, agentId, request.doer(), (trx, row) =>
            keep(trx, numberView(row)),
          ),
        ),
      );
      return reply.code(201).send(view);
    },
  });

  app.get<{ Querystring: Static<typeof NumberQuery> }>('/v1/telephony/numbers', {
    config: MANAGE,
    schema: {
      summary: 'List your phone numbers, newest first',
      tags,
      querystring: NumberQuery,
      response: { 200: NumberList },
    },
    handler: async (request) => {
      const rows = await numbers.list(request.tenantScope(), request.query, pageStart(request.query));
      const end = (row: TelephonyNumberRow) => ({ createdAt: Number(row.created_at), id: row.id });
      return pageOf(rows, request.query, end, numberView);
    },
  });

  app.get<{ Params: Static<typeof NumberParams> }>('/v1/telephony/numbers/:number_id', {
    config: MANAGE,
    schema: { summary: 'Retrieve a phone number', tags, params: NumberParams, response: { 200: NumberView } },
    handler: async (request) => numberView(await numbers.find(request.tenantScope(), idOf(request.params))),
  });

  app.patch<{ Params: Static<typeof NumberParams>; Body: Static<typeof NumberChangeBody> }>(
    '/v1/telephony/numbers/:number_id',
    {
      config: { ...MANAGE, errors: ['destination_not_allowed'] },
      schema: {
        summary: 'Update the agent or the settings of a phone number',
        description:
          'A merge patch, also within objects: omitted fields are unchanged, and `null` resets a field to its default.',
        tags,
        params: NumberParams,
        body: NumberChangeBody,
        response: { 200: NumberView },
      },
      handler: async (request) => {
        const url = request.body.settings?.webhook_url;
        if (typeof url === 'string') checkUrl(gate, url, 'settings.webhook_url');
        const asked = request.body.settings?.route?.url;
        if (typeof asked === 'string') checkUrl(gate, asked, 'settings.route.url');
        const id = idOf(request.params);
        return numberView(await numbers.change(request.tenantScope(), id, request.body, request.doer()));
      },
    },
  );

  app.delete<{ Params: Static<typeof NumberParams> }>('/v1/telephony/numbers/:number_id', {
    config: MANAGE,
    schema: {
      summary: 'Release a phone number',
      description: 'A released number is unavailable to everyone for 30 days.',
      tags,
      params: NumberParams,
      response: { 200: Deleted },
    },
    handler: async (request) => {
      const { id } = await numbers.release(request.tenantScope(), idOf(request.params), request.doer());
      return { id, object: 'telephony.number' as const, deleted: true as const };
    },
  });
}

function idOf({ number_id: id }: { number_id: string }): string {
  if (isId('num', id)) return id;
  throw new NoSuchError('number');
}
