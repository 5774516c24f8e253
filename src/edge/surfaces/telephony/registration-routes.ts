import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { pageOfWhole, WholeQuery } from '../../../foundation/platform/pages.ts';
import { MOST_TELEPHONES, type SipTelephones } from '../../../telephony/dialling/index.ts';
import { MANAGE } from './access.ts';
import { PhoneNumber } from './schemas.ts';

const tags = ['Telephony'];

const Registration = {
  id: Type.String(),
  object: Type.Literal('telephony.registration'),
  username: Type.String(),
  number: Type.Union([Type.String(), Type.Null()]),
  address: Type.Union([Type.String(), Type.Null()], {
    description:
      'The SIP address to which calls can be transferred; null if the server does not register SIP telephones.',
  }),
  created_at: Type.Integer({ description: 'Unix time in milliseconds.' }),
};
const Body = Type.Object({
  username: Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{2,31}$',
    description: 'The username of the telephone, unique on this server.',
    examples: ['reception-berlin'],
  }),
  number: Type.Optional(
    Type.Union([PhoneNumber, Type.Null()], {
      description:
        'One of your phone numbers. Calls and transfers to it ring the telephone while it is registered.',
    }),
  ),
});
const Params = Type.Object({ registration_id: Type.String() });

export function registrationRoutes(app: FastifyInstance, telephones: SipTelephones): void {
  app.post<{ Body: Static<typeof Body> }>('/v1/telephony/registrations', {
    config: { ...MANAGE, errors: ['not_found'] },
    schema: {
      summary: 'Create a SIP registration for a telephone',
      description: `The response contains the password, which is not returned again. A project can have at most ${MOST_TELEPHONES} telephones.`,
      tags,
      body: Body,
      response: {
        201: Type.Object({
          ...Registration,
          password: Type.String({ description: 'The password. It is returned only in this response.' }),
          realm: Type.String({ description: 'The registrar and the realm of digest authentication.' }),
        }),
      },
    },
    handler: async (request, reply) => {
      const { username, number = null } = request.body;
      const made = await telephones.create(request.caller(), { username, number }, request.doer());
      reply.code(201).header('cache-control', 'no-store');
      return { ...made.view, password: made.password, realm: telephones.realm };
    },
  });
  app.get<{ Querystring: WholeQuery }>('/v1/telephony/registrations', {
    config: MANAGE,
    schema: {
      summary: 'List SIP registrations, newest first',
      tags,
      querystring: WholeQuery,
      response: {
        200: Type.Object({
          object: Type.Literal('list'),
          data: Type.Array(Type.Object(Registration)),
          next_cursor: Type.Union([Type.String(), Type.Null()]),
        }),
      },
    },
    handler: async (request) => {
      const all = await telephones.list(request.tenantScope());
      return pageOfWhole(
        all,
        request.query,
        ({ id }) => id,
        (view) => view,
      );
    },
  });
  app.delete<{ Params: Static<typeof Params> }>('/v1/telephony/registrations/:registration_id', {
    config: { ...MANAGE, errors: ['not_found'] },
    schema: {
      summary: 'Delete a SIP registration',
      description: 'The telephone no longer receives calls.',
      tags,
      params: Params,
      response: {
        200: Type.Object({
          id: Type.String(),
          object: Type.Literal('telephony.registration'),
          deleted: Type.Literal(true),
        }),
      },
    },
    handler: async (request) => {
      const { registration_id: id } = request.params;
      await telephones.remove(request.tenantScope(), id, request.doer());
      return { id, object: 'telephony.registration' as const, deleted: true as const };
    },
  });
}
