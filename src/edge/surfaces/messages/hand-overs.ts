import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { MessageHandOverRecord } from '../../../foundation/events/index.ts';
import { NoSuchError } from '../../../foundation/platform/errors.ts';
import { isId } from '../../../foundation/platform/ids.ts';
import { PageQuery, pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import { handOverView } from '../../../telephony/messages/index.ts';
import type { MessagesDeps } from './index.ts';
import { access, carrierMissing, IdParams, Phone } from './shared.ts';

const Body = Type.Object(
  {
    number: { ...Phone, description: 'One of your phone numbers.', examples: ['+14155550100'] },
    person: { ...Phone, description: 'The phone number of the person you take over.' },
    summary: Type.Optional(Type.String({ maxLength: 2000 })),
  },
  { additionalProperties: false },
);
const List = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(MessageHandOverRecord),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});
const HandOverDeleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('message.hand_over'),
  deleted: Type.Literal(true),
});

export function handOverRoutes(app: FastifyInstance, { handOvers, messages }: MessagesDeps): void {
  app.get<{ Querystring: PageQuery }>('/v1/messages/hand-overs', {
    config: { access },
    schema: {
      summary: 'List conversations that were handed over to people, newest first',
      querystring: PageQuery,
      response: { 200: List },
    },
    handler: async (request) => {
      const { query } = request;
      const rows = await handOvers.list(request.tenantScope(), query, pageStart(query));
      return pageOf(rows, query, (row) => ({ createdAt: Number(row.created_at), id: row.id }), handOverView);
    },
  });
  app.post<{ Body: Static<typeof Body> }>('/v1/messages/hand-overs', {
    config: { access, errors: ['not_found', 'version_conflict'] },
    schema: {
      summary: 'Take over a message conversation from its agent',
      description:
        'The agent sends nothing to that person until you hand the conversation back. If the conversation was already taken over, the existing record is returned. Returns 404 if the server has no messaging carrier.',
      body: Body,
      response: { 201: MessageHandOverRecord },
    },
    handler: async (request, reply) => {
      if (messages === null) throw carrierMissing();
      const { number: ours, person: theirs, summary = null } = request.body;
      const row = await messages.takeOver(request.tenantScope(), { ours, theirs }, summary, request.doer());
      return reply.code(201).send(handOverView(row));
    },
  });
  app.delete<{ Params: Static<typeof IdParams> }>('/v1/messages/hand-overs/:id', {
    config: { access },
    schema: {
      summary: 'Hand a message conversation back to its agent',
      params: IdParams,
      response: { 200: HandOverDeleted },
    },
    handler: async (request) => {
      const { id } = request.params;
      if (!isId('mho', id) || !(await handOvers.giveBack(request.tenantScope(), id, request.doer())))
        throw new NoSuchError('hand-over');
      return { id, object: 'message.hand_over' as const, deleted: true as const };
    },
  });
}
