import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { PageQuery, pageOf, pageStart } from '../../platform/pages.ts';
import type { MsgappCallRow } from '../../storage/tables/msgapp.ts';
import type { MsgappDeps } from './index.ts';
import { providerAnswers } from './provider-answers.ts';
import { Call, CallBody, showCall } from './schemas.ts';

const access = { kind: 'key', scope: 'telephony:manage' } as const;
const tags = ['Messaging'];
const CallList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Call),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});

export function callRoutes(app: FastifyInstance, { numbers, records, desk }: MsgappDeps): void {
  app.post<{ Body: CallBody }>(
    '/v1/msgapp/calls',
    {
      config: {
        access,
        meters: true,
        errors: ['not_found', 'call_not_permitted', 'unavailable', 'provider_refused', 'capacity'],
      },
      schema: {
        summary: 'Call a person who has permitted it',
        tags,
        body: CallBody,
        response: { 201: Call },
      },
    },
    async (request, reply) => {
      const reach = request.reach();
      const row = await numbers.active(reach, request.body.number_id);
      const id = await providerAnswers(desk.place(request.caller(), row, request.body.to));
      reply.code(201);
      return showCall((await records.get(reach, id)) as MsgappCallRow);
    },
  );
  app.get<{ Querystring: PageQuery }>(
    '/v1/msgapp/calls',
    {
      config: { access },
      schema: {
        summary: 'Calls by messaging apps, newest first',
        tags,
        querystring: PageQuery,
        response: { 200: CallList },
      },
    },
    async (request) => {
      const rows = await records.list(request.reach(), request.query, pageStart(request.query));
      const end = (row: MsgappCallRow) => ({ createdAt: Number(row.created_at), id: row.id });
      return pageOf(rows, request.query, end, showCall);
    },
  );
}
