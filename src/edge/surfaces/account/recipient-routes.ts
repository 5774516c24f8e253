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
    description: 'The organization’s name, without characters that could form a link.',
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
        summary: 'Get the address that a confirmation link confirms for event emails',
        tags,
        params: Params,
        response: {
          200: Recipient,
          302: Type.Null({ description: 'Browsers are redirected to the page in the console.' }),
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
        summary: 'Confirm an address as a recipient of the organization’s email destinations',
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
        summary: 'Opt out of the organization’s email; it cannot ask for confirmation again',
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
