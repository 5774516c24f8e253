import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AccessService } from '../../../foundation/access/index.ts';
import { MAX_PASSWORD, MIN_PASSWORD } from './auth-routes.ts';

const Password = Type.String({ minLength: MIN_PASSWORD, maxLength: MAX_PASSWORD });

const Forgot = Type.Object({ email: Type.String({ format: 'email', maxLength: 320 }) });
type Forgot = Static<typeof Forgot>;
const ResetRequested = Type.Object({ object: Type.Literal('password_reset'), accepted: Type.Literal(true) });

const Reset = Type.Object({ token: Type.String({ maxLength: 64 }), password: Password });
type Reset = Static<typeof Reset>;

const Change = Type.Object({ current: Type.String({ maxLength: MAX_PASSWORD }), password: Password });
type Change = Static<typeof Change>;
const Changed = Type.Object({ object: Type.Literal('password'), changed: Type.Literal(true) });

const tags = ['Accounts'];
const changed = { object: 'password' as const, changed: true as const };

export function passwordRoutes(app: FastifyInstance, access: AccessService): void {
  app.post<{ Body: Forgot }>(
    '/auth/password/forgot',
    {
      config: { access: { kind: 'public' }, errors: ['rate_limit_exceeded'] },
      schema: {
        summary: 'Send an email with a password-reset link, valid once within 30 minutes',
        description:
          'The response is the same whether or not an account with this address exists. While a link is valid, no other link is sent. A source network can send ten requests in 24 hours. A server without a mail server sends nothing; its operator can print a link instead.',
        tags,
        body: Forgot,
        response: { 202: ResetRequested },
      },
    },
    async (request, reply) => {
      await access.limitNetwork(request.ip);
      await access.passwords.requestReset(request.body.email, request.ip);
      return reply.code(202).send({ object: 'password_reset' as const, accepted: true as const });
    },
  );
  app.post<{ Body: Reset }>(
    '/auth/password/reset',
    {
      config: { access: { kind: 'public' }, errors: ['rate_limit_exceeded', 'not_found'] },
      schema: {
        summary: 'Set a new password with a reset link and end all sessions of the user',
        tags,
        body: Reset,
        response: { 200: Changed },
      },
    },
    async (request) => {
      await access.limitNetwork(request.ip);
      const { token, password } = request.body;
      const from = { kind: 'user', id: '', from: request.ip, requestId: request.id } as const;
      await access.passwords.reset(token, password, from);
      return changed;
    },
  );
  app.post<{ Body: Change }>(
    '/auth/password/change',
    {
      config: { access: { kind: 'user' } },
      schema: {
        summary: 'Change the password of the signed-in user and end their other sessions',
        tags,
        body: Change,
        response: { 200: Changed },
      },
    },
    async (request) => {
      const { current, password } = request.body;
      await access.passwords.change(request.caller(), current, password, request.doer());
      return changed;
    },
  );
}
