import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { type AccessRoom, ATTEMPT_COOKIE, cookieValue } from '../../access/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import { presentedBy, visitorOf } from './auth-routes.ts';
import { refusedInConsole } from './browsers.ts';

const tags = ['Accounts'];
const CALLBACK = '/auth/oidc/callback';

/** What providers send: the standard's parameters, and those that the best-known ones add. */
const SENT = [
  ...['code', 'state', 'iss', 'error', 'error_description', 'error_uri'],
  ...['session_state', 'scope', 'authuser', 'prompt', 'hd'],
];
const CallbackQuery = Type.Object(
  Object.fromEntries(SENT.map((name) => [name, Type.Optional(Type.String({ maxLength: 4096 }))])),
);

/** The session cookie is not sent along a redirect from another site: a page of this server goes on by itself. */
const ONWARD =
  '<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/console"><title>Signed in</title><p>You are signed in. <a href="/console">Go on</a>.</p></html>';

export function oidcRoutes(
  app: FastifyInstance,
  access: AccessRoom,
  clock: Clock,
  baseUrl: () => string,
): void {
  app.get(
    '/auth/oidc/start',
    {
      config: { access: { kind: 'public' }, errors: ['not_found', 'rate_limit_exceeded'] },
      schema: {
        summary: 'Sign in at the identity provider; a signed-in person joins their account to it',
        tags,
        response: {
          302: Type.Null({
            description: 'To the identity provider; a browser that is refused: to the console',
          }),
        },
      },
    },
    (request, reply) =>
      refusedInConsole(request, reply, async () => {
        await access.limitNetwork(request.ip);
        const signedIn = await access
          .authorize(presentedBy(request), { kind: 'user' })
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
        summary: 'Where the identity provider sends the browser back',
        tags,
        querystring: CallbackQuery,
        response: {
          200: {
            description: 'Signed in; the session is a cookie',
            content: { 'text/html': { schema: Type.String() } },
          },
          302: Type.Null({ description: 'A browser that is refused: to the console, which says why' }),
        },
      },
    },
    (request, reply) =>
      refusedInConsole(request, reply, async () => {
        await access.limitNetwork(request.ip);
        const state = cookieValue(request.headers.cookie ?? '', ATTEMPT_COOKIE) ?? null;
        const from = { kind: 'user', id: '', from: request.ip, requestId: request.id } as const;
        const userId = await access.oidc.finish(new URL(request.url, baseUrl()), state, from);
        const signedIn = await access.sessions.begin(userId, visitorOf(request));
        return reply
          .header('set-cookie', [
            access.cookieFor(signedIn.token, signedIn.expiresAt - clock.now()),
            access.attemptCookie(''),
          ])
          .header('cache-control', 'no-store')
          .type('text/html; charset=utf-8')
          .send(ONWARD);
      }),
  );
}
