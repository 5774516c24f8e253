import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Trx } from '../../../foundation/jobs/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { isId } from '../../../foundation/platform/ids.ts';
import { pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import type { MsgappCallRow } from '../../../foundation/storage/tables/msgapp.ts';
import type { MsgappDeps } from './index.ts';
import { providerAnswers } from './provider-answers.ts';
import { Call, CallBody, CallQuery, showCall } from './schemas.ts';

const access = { kind: 'key', scope: 'telephony:manage' } as const;
const tags = ['Messaging'];
const CallParams = Type.Object({ id: Type.String({ maxLength: 64 }) });
type CallParams = Static<typeof CallParams>;
const CallList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Call),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});

export function callRoutes(app: FastifyInstance, { numbers, records, calls }: MsgappDeps): void {
  app.post<{ Body: CallBody }>(
    '/v1/msgapp/calls',
    {
      config: {
        access,
        meters: true,
        idempotent: 'optional',
        errors: [
          'not_found',
          'call_not_permitted',
          'calling_disabled',
          'unavailable',
          'provider_refused',
          'capacity',
        ],
      },
      schema: {
        summary: 'Call a person who has granted permission',
        tags,
        body: CallBody,
        response: { 201: Call },
      },
    },
    async (request, reply) => {
      const scope = request.tenantScope();
      const { number_id, to } = request.body;
      const view = await request.once(async (keep) => {
        const row = await numbers.active(scope, number_id);
        const within = (trx: Trx, call: MsgappCallRow) => keep(trx, showCall(call));
        const id = await providerAnswers(calls.place(request.caller(), row, to, within));
        return showCall((await records.get(scope, id)) as MsgappCallRow);
      });
      return reply.code(201).send(view);
    },
  );
  app.get<{ Querystring: CallQuery }>(
    '/v1/msgapp/calls',
    {
      config: { access },
      schema: {
        summary: 'List messaging-app calls, newest first',
        tags,
        querystring: CallQuery,
        response: { 200: CallList },
      },
    },
    async (request) => {
      const rows = await records.list(request.tenantScope(), request.query, pageStart(request.query));
      const end = (row: MsgappCallRow) => ({ createdAt: Number(row.created_at), id: row.id });
      return pageOf(rows, request.query, end, showCall);
    },
  );
  app.get<{ Params: CallParams }>(
    '/v1/msgapp/calls/:id',
    {
      config: { access },
      schema: { summary: 'Retrieve a call', tags, params: CallParams, response: { 200: Call } },
    },
    async (request) => showCall(await found(records, request)),
  );
  app.post<{ Params: CallParams }>(
    '/v1/msgapp/calls/:id/hangup',
    {
      config: { access },
      schema: {
        summary: 'End a call',
        description: 'A call that has already ended is unchanged.',
        tags,
        params: CallParams,
        response: { 200: Call },
      },
    },
    async (request) => {
      const scope = request.tenantScope();
      const call = await found(records, request);
      if (call.state !== 'ended') await calls.hangUp(await numbers.get(scope, call.number_id), call);
      return showCall((await records.get(scope, call.id)) ?? call);
    },
  );
}

async function found(
  records: MsgappDeps['records'],
  request: FastifyRequest<{ Params: CallParams }>,
): Promise<MsgappCallRow> {
  const { id } = request.params;
  const call = isId('wcall', id) ? await records.get(request.tenantScope(), id) : null;
  if (call === null) throw new ApiError('not_found', 'there is no such call');
  return call;
}
