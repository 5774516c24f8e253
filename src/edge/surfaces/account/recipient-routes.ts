import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AccessService } from '../../../foundation/access/index.ts';
import { consolePageUrl, isBrowser } from './console-redirects.ts';

const Params = Type.Object({ token: Type.String({ maxLength: 64 }) });
type Params = Static<typeof Params>;

const Recipient = Type.Object({
  object: Type.Literal('mail_recipient'),
  email: Type.String(),
  organization: Type.String({
    description: 'what the organization calls itself, without signs that make links',
  }),
  confirmed: Type.Boolean(),
});

const tags = ['Integrations'];
const config = { access: { kind: 'public' }, errors: ['rate_limit_exceeded', 'not_found'] } as const;

/**
 * Event mail links here: the reader confirms the address or unsubscribes. A GET changes nothing, because mail
 * scanners follow links.
 */
export function recipientRoutes(app: FastifyInstance, access: AccessService): void {
  const path = '/auth/recipients/:token';
  app.get<{ Params: Params }>(
    path,
    {
      config,
      schema: {
        summary: 'The address that a link confirms for mail about events',
        tags,
        params: Params,
        response: {
          200: Recipient,
          302: Type.Null({ description: 'A browser: to the console’s page for it' }),
        },
      },
    },
    async (request, reply) => {
      const { token } = request.params;
      if (isBrowser(request)) return reply.redirect(consolePageUrl('recipient', token));
      await access.limitNetwork(request.ip);
      reply.header('cache-control', 'no-store');
      return { object: 'mail_recipient' as const, ...(await access.recipients.describe(token)) };
    },
  );
  app.post<{ Params: Params }>(
    path,
    {
      config,
      schema: {
        summary: 'Confirm the address: email destinations of the organization reach it',
        tags,
        params: Params,
        response: { 200: Recipient },
      },
    },
    async (request) => {
      await access.limitNetwork(request.ip);
      const recipient = await access.recipients.recordChoice(request.params.token, true);
      return { object: 'mail_recipient' as const, ...recipient };
    },
  );
  app.delete<{ Params: Params }>(
    path,
    {
      config,
      schema: {
        summary: 'Refuse the organization’s mail; it cannot ask again',
        tags,
        params: Params,
        response: { 200: Recipient },
      },
    },
    async (request) => {
      await access.limitNetwork(request.ip);
      const recipient = await access.recipients.recordChoice(request.params.token, false);
      return { object: 'mail_recipient' as const, ...recipient };
    },
  );
}
