import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { type AccessService, ATTEMPT_COOKIE, cookieValue, ROLES } from '../../../foundation/access/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { Session, sessionCredentialOf, showSession, visitorOf } from './auth-routes.ts';
import { consolePageUrl, redirectErrorsToConsole } from './console-redirects.ts';
import { Named, Nullable } from './schemas.ts';

const tags = ['Accounts'];
const CALLBACK = '/auth/oidc/callback';

const SENT = [
  ...['code', 'state', 'iss', 'error', 'error_description', 'error_uri'],
  ...['session_state', 'scope', 'authuser', 'prompt', 'hd'],
];
const CallbackQuery = Type.Object(
  Object.fromEntries(SENT.map((name) => [name, Type.Optional(Type.String({ maxLength: 4096 }))])),
);

/**
 * The session cookie is not sent along a redirect from another site, so a page of this server continues the
 * navigation.
 */
const onward = (page: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${page}"><title>Signed in</title><p>The identity provider confirmed who you are. <a href="${page}">Go on</a>.</p></html>`;

const ArrivalParams = Type.Object({ ticket: Type.String({ maxLength: 64 }) });
type ArrivalParams = Static<typeof ArrivalParams>;

const ArrivalView = Type.Object({
  object: Type.Literal('oidc_arrival'),
  email: Type.String(),
  invitations: Type.Array(
    Type.Object({
      id: Type.String(),
      role: Type.Enum([...ROLES]),
      organization: Named,
      expires_at: Type.Integer(),
    }),
  ),
});

const Choice = Type.Object({
  invitation_id: Nullable(
    Type.String({
      maxLength: 64,
      description: 'The invitation to accept; null creates a new organization.',
    }),
  ),
});
type Choice = Static<typeof Choice>;

export function oidcRoutes(
  app: FastifyInstance,
  access: AccessService,
  clock: Clock,
  baseUrl: () => string,
): void {
  app.get(
    '/auth/oidc/start',
    {
      config: { access: { kind: 'public' }, errors: ['not_found', 'rate_limit_exceeded'] },
      schema: {
        summary: 'Start a sign-in at the identity provider; a signed-in user links their account to it',
        tags,
        response: {
          302: Type.Null({
            description: 'Redirects to the identity provider, or to the console if the sign-in cannot start.',
          }),
        },
      },
    },
    (request, reply) =>
      redirectErrorsToConsole(request, reply, async () => {
        await access.limitNetwork(request.ip);
        const signedIn = await access
          .authorize(sessionCredentialOf(request), { kind: 'user' })
          .catch((error: unknown) => {
            if (error instanceof ApiError && error.status < 500) return null;
            throw error;
          });
        const userId = signedIn?.principal?.userId ?? null;
        const { url, state } = await access.oidc.start(`${baseUrl()}${CALLBACK}`, userId);
        return reply
          .header('set-cookie', access.attemptCookie(state))
          .header('cache-control', 'no-store')
          .redirect(url);
      }),
  );
  app.get(
    CALLBACK,
    {
      config: {
        access: { kind: 'public' },
        errors: ['unauthorized', 'not_found', 'email_taken', 'rate_limit_exceeded'],
      },
      schema: {
        summary: 'Complete a sign-in at the identity provider',
        tags,
        querystring: CallbackQuery,
        response: {
          200: {
            description: 'The user is signed in; the session is set as a cookie.',
            content: { 'text/html': { schema: Type.String() } },
          },
          302: Type.Null({
            description: 'A failed sign-in redirects to the console, which shows the reason.',
          }),
        },
      },
    },
    (request, reply) =>
      redirectErrorsToConsole(request, reply, async () => {
        await access.limitNetwork(request.ip);
        const state = cookieValue(request.headers.cookie ?? '', ATTEMPT_COOKIE) ?? null;
        const from = { kind: 'user', id: '', from: request.ip, requestId: request.id } as const;
        const arrived = await access.oidc.finish(new URL(request.url, baseUrl()), state, from);
        reply.header('cache-control', 'no-store').type('text/html; charset=utf-8');
        if ('ticket' in arrived)
          return reply
            .header('set-cookie', access.attemptCookie(''))
            .send(onward(consolePageUrl('choose', arrived.ticket)));
        const signedIn = await access.sessions.begin(arrived.userId, visitorOf(request));
        return reply
          .header('set-cookie', [
            access.cookieFor(signedIn.token, signedIn.expiresAt - clock.now()),
            access.attemptCookie(''),
          ])
          .send(onward('/console'));
      }),
  );
  arrivalRoutes(app, access, clock);
}

/** These routes serve an invited person whose first sign-in uses the identity provider: joining requires consent. */
function arrivalRoutes(app: FastifyInstance, access: AccessService, clock: Clock): void {
  const path = '/auth/oidc/arrivals/:ticket';
  const config = { access: { kind: 'public' }, errors: ['rate_limit_exceeded', 'not_found'] } as const;
  app.get<{ Params: ArrivalParams }>(
    path,
    {
      config,
      schema: {
        summary: 'List the open invitations of a user whom the identity provider has just confirmed',
        tags,
        params: ArrivalParams,
        response: { 200: ArrivalView },
      },
    },
    async (request, reply) => {
      await access.limitNetwork(request.ip);
      const { email, offers } = await access.oidc.firstSignIns.describe(request.params.ticket);
      reply.header('cache-control', 'no-store');
      return {
        object: 'oidc_arrival' as const,
        email,
        invitations: offers.map(({ expiresAt, ...offer }) => ({ ...offer, expires_at: expiresAt })),
      };
    },
  );
  app.post<{ Params: ArrivalParams; Body: Choice }>(
    path,
    {
      config: { ...config, errors: ['rate_limit_exceeded', 'not_found', 'email_taken'] },
      schema: {
        summary: 'Accept an invitation or create an organization, and sign in',
        tags,
        params: ArrivalParams,
        body: Choice,
        response: { 201: Session },
      },
    },
    async (request, reply) => {
      await access.limitNetwork(request.ip);
      const from = { kind: 'user', id: '', from: request.ip, requestId: request.id } as const;
      const { invitation_id: chosen } = request.body;
      const userId = await access.oidc.firstSignIns.choose(request.params.ticket, chosen, from);
      const signedIn = await access.sessions.begin(userId, visitorOf(request));
      reply
        .code(201)
        .header('cache-control', 'no-store')
        .header('set-cookie', access.cookieFor(signedIn.token, signedIn.expiresAt - clock.now()));
      return showSession(signedIn);
    },
  );
}
