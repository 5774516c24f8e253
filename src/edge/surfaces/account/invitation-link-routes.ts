import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { type AccessService, ROLES } from '../../../foundation/access/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { MAX_PASSWORD, MIN_PASSWORD, Session, showSession, visitorOf } from './auth-routes.ts';
import { consolePageUrl, isBrowser } from './console-redirects.ts';
import { Named } from './schemas.ts';

const Params = Type.Object({ token: Type.String({ maxLength: 64 }) });
type Params = Static<typeof Params>;

const Offer = Type.Object({
  object: Type.Literal('invitation'),
  email: Type.String(),
  role: Type.Enum([...ROLES]),
  organization: Named,
  expires_at: Type.Integer(),
});

const Acceptance = Type.Object({
  password: Type.String({ minLength: MIN_PASSWORD, maxLength: MAX_PASSWORD }),
  name: Type.Optional(Type.String({ maxLength: 200 })),
});
type Acceptance = Static<typeof Acceptance>;

const tags = ['Accounts'];

export function invitationLinkRoutes(app: FastifyInstance, access: AccessService, clock: Clock): void {
  app.get<{ Params: Params }>(
    '/auth/invitations/:token',
    {
      config: { access: { kind: 'public' }, errors: ['rate_limit_exceeded'] },
      schema: {
        summary: 'Get an invitation',
        tags,
        params: Params,
        response: {
          200: Offer,
          302: Type.Null({ description: 'Browsers are redirected to the page in the console.' }),
        },
      },
    },
    async (request, reply) => {
      if (isBrowser(request)) return reply.redirect(consolePageUrl('join', request.params.token));
      await access.limitNetwork(request.ip);
      const invitation = await access.invitations.describe(request.params.token);
      reply.header('cache-control', 'no-store');
      return {
        object: 'invitation' as const,
        email: invitation.email,
        role: invitation.role,
        organization: { id: invitation.orgId, name: invitation.orgName },
        expires_at: invitation.expiresAt,
      };
    },
  );
  app.post<{ Params: Params; Body: Acceptance }>(
    '/auth/invitations/:token',
    {
      config: { access: { kind: 'public' }, errors: ['rate_limit_exceeded', 'email_taken'] },
      schema: {
        summary:
          'Create an account from an invitation and sign in; an existing user accepts the invitation with it',
        tags,
        params: Params,
        body: Acceptance,
        response: { 201: Session },
      },
    },
    async (request, reply) => {
      await access.limitNetwork(request.ip);
      const { password, name = '' } = request.body;
      const from = { kind: 'user', id: '', from: request.ip, requestId: request.id } as const;
      const userId = await access.invitations.accept(request.params.token, { password, name }, from);
      const signedIn = await access.sessions.begin(userId, visitorOf(request));
      reply
        .code(201)
        .header('cache-control', 'no-store')
        .header('set-cookie', access.cookieFor(signedIn.token, signedIn.expiresAt - clock.now()));
      return showSession(signedIn);
    },
  );
  app.post<{ Params: Params }>(
    '/auth/invitations/:token/accept',
    {
      config: { access: { kind: 'user' }, errors: ['not_found', 'last_owner'] },
      schema: {
        summary: 'Accept an invitation as the signed-in user, who leaves their current organization',
        description:
          'The invitation must be addressed to the user’s own email address. All sessions of the user end, and the response contains a new one. If the user is the only owner of their organization, they must first make another member an owner or delete the organization.',
        tags,
        params: Params,
        response: { 201: Session },
      },
    },
    async (request, reply) => {
      const caller = request.caller();
      await access.members.accept(caller, request.params.token, request.doer());
      const signedIn = await access.sessions.begin(caller.userId as string, visitorOf(request));
      reply
        .code(201)
        .header('cache-control', 'no-store')
        .header('set-cookie', access.cookieFor(signedIn.token, signedIn.expiresAt - clock.now()));
      return showSession(signedIn);
    },
  );
}
