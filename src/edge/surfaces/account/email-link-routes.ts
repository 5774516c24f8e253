import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AccessService } from '../../../foundation/access/index.ts';
import { consolePageUrl, isBrowser } from './console-redirects.ts';

const Params = Type.Object({ token: Type.String({ maxLength: 64 }) });
type Params = Static<typeof Params>;

const Offer = Type.Object({
  object: Type.Literal('email_link'),
  email: Type.String(),
  expires_at: Type.Integer(),
});
const Confirmed = Type.Object({
  object: Type.Literal('email'),
  email: Type.String(),
  verified: Type.Literal(true),
});

const tags = ['Accounts'];
const config = { access: { kind: 'public' }, errors: ['rate_limit_exceeded', 'not_found'] } as const;

/** The mail for a new account links here. A GET changes nothing, because mail scanners follow links. */
export function emailLinkRoutes(app: FastifyInstance, access: AccessService): void {
  app.get<{ Params: Params }>(
    '/auth/email/:token',
    {
      config,
      schema: {
        summary: 'Get the address that a confirmation link confirms',
        tags,
        params: Params,
        response: {
          200: Offer,
          302: Type.Null({ description: 'Browsers are redirected to the page in the console.' }),
        },
      },
    },
    async (request, reply) => {
      if (isBrowser(request)) return reply.redirect(consolePageUrl('email', request.params.token));
      await access.limitNetwork(request.ip);
      const { email, expiresAt } = await access.emailLinks.describe(request.params.token);
      reply.header('cache-control', 'no-store');
      return { object: 'email_link' as const, email, expires_at: expiresAt };
    },
  );
  app.post<{ Params: Params }>(
    '/auth/email/:token',
    {
      config,
      schema: {
        summary: 'Confirm an email address; the account can sign in afterwards',
        tags,
        params: Params,
        response: { 200: Confirmed },
      },
    },
    async (request) => {
      await access.limitNetwork(request.ip);
      const { email } = await access.emailLinks.confirm(request.params.token);
      return { object: 'email' as const, email, verified: true as const };
    },
  );
}
