import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type {
  AccessService,
  RequestCredentials,
  SessionOrigin,
  SignedInSession,
} from '../../../foundation/access/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { NoSuchError } from '../../../foundation/platform/errors.ts';
import { pageOfWhole, WholeQuery } from '../../../foundation/platform/pages.ts';
import { Named, Nullable } from './schemas.ts';

const MAX_EMAIL = 320;
export const MIN_PASSWORD = 8;
/** The limit bounds the cost of hashing a password, and exceeds any that a person types. */
export const MAX_PASSWORD = 1024;
const MAX_NAME = 200;
const MAX_REFERRAL = 2048;

const Email = Type.String({ format: 'email', maxLength: MAX_EMAIL });

const Signup = Type.Object({
  email: Email,
  password: Type.String({ minLength: MIN_PASSWORD, maxLength: MAX_PASSWORD }),
  name: Type.Optional(Type.String({ maxLength: MAX_NAME })),
  org_name: Type.Optional(Type.String({ maxLength: MAX_NAME })),
  referral_token: Type.Optional(
    Type.String({
      maxLength: MAX_REFERRAL,
      description: 'A signed referral token. An invalid token is ignored.',
    }),
  ),
});
type Signup = Static<typeof Signup>;

const Login = Type.Object({ email: Type.String({ maxLength: MAX_EMAIL }), password: Type.String() });
type Login = Static<typeof Login>;

const User = Type.Object({ id: Type.String(), email: Type.String(), name: Type.String() });

const Account = Type.Object({
  organization: Named,
  project: Named,
  user: User,
  api_key: Type.String({ description: 'A sandbox API key. It is returned only in this response.' }),
});

const sessionFields = {
  object: Type.Literal('session'),
  expires_at: Type.Integer(),
  user: User,
  organization: Named,
};
const SessionView = Type.Object(sessionFields);
export const Session = Type.Object({
  ...sessionFields,
  token: Type.String({ description: 'The session token. It is also set as an HttpOnly cookie.' }),
});

const tags = ['Accounts'];
const PUBLIC = { kind: 'public' } as const;
const USER = { kind: 'user' } as const;

export function authRoutes(app: FastifyInstance, access: AccessService, clock: Clock): void {
  signupRoutes(app, access);
  app.post<{ Body: Login }>(
    '/auth/login',
    {
      config: { access: PUBLIC, errors: ['unauthorized'] },
      schema: { summary: 'Sign in', tags, body: Login, response: { 200: Session } },
    },
    async (request, reply) => {
      const signedIn = await access.sessions.signIn(
        request.body.email,
        request.body.password,
        visitorOf(request),
      );
      noStore(reply).header('set-cookie', access.cookieFor(signedIn.token, signedIn.expiresAt - clock.now()));
      return showSession(signedIn);
    },
  );
  sessionRoutes(app, access, clock);
  sessionListRoutes(app, access);
}

function signupRoutes(app: FastifyInstance, access: AccessService): void {
  app.post<{ Body: Signup }>(
    '/auth/signup',
    {
      config: { access: PUBLIC, errors: ['email_taken', 'rate_limit_exceeded'] },
      schema: { summary: 'Create an account', tags, body: Signup, response: { 201: Account } },
    },
    async (request, reply) => {
      await access.limitNetwork(request.ip);
      const { email, password, name, org_name, referral_token } = request.body;
      const { organization, project, user, key } = await access.accounts.signUp(
        { email, password, name, orgName: org_name, referralToken: referral_token },
        request.ip,
      );
      noStore(reply).code(201);
      return { organization, project, user, api_key: key.text };
    },
  );
  app.post(
    '/v1/sandbox/keys',
    {
      config: { access: PUBLIC, errors: ['sandbox_limit_reached', 'rate_limit_exceeded'] },
      schema: {
        summary: 'Create a sandbox key that is valid for 24 hours, without an account',
        tags,
        response: {
          201: Type.Object({
            object: Type.Literal('api_key'),
            api_key: Type.String(),
            scopes: Type.Array(Type.String()),
            expires_at: Type.Integer(),
          }),
        },
      },
    },
    async (request, reply) => {
      await access.limitNetwork(request.ip);
      const key = await access.accounts.mintSandboxKey(request.ip);
      noStore(reply).code(201);
      return {
        object: 'api_key' as const,
        api_key: key.text,
        scopes: [...key.scopes],
        expires_at: key.expiresAt as number,
      };
    },
  );
}

function sessionRoutes(app: FastifyInstance, access: AccessService, clock: Clock): void {
  app.get(
    '/auth/session',
    {
      config: { access: USER },
      schema: { summary: 'Get the current session', tags, response: { 200: SessionView } },
    },
    async (request) => {
      const { expiresAt, user, organization } = await access.sessions.describe(request.caller().credentialId);
      return { object: 'session' as const, expires_at: expiresAt, user, organization };
    },
  );
  app.post(
    '/auth/refresh',
    {
      config: { access: USER },
      schema: {
        summary: 'Rotate the session token; the old token is valid until the new one is first used',
        tags,
        response: {
          200: Type.Object({
            object: Type.Literal('session'),
            token: Type.String(),
            expires_at: Type.Integer(),
          }),
        },
      },
    },
    async (request, reply) => {
      const token = await access.rotateSession(sessionCredentialOf(request));
      const expiresAt = request.caller().expiresAt as number;
      noStore(reply).header('set-cookie', access.cookieFor(token, expiresAt - clock.now()));
      return { object: 'session' as const, token, expires_at: expiresAt };
    },
  );
  app.post(
    '/auth/logout',
    {
      config: { access: USER },
      schema: {
        summary: 'Sign out',
        tags,
        response: {
          200: Type.Object({
            object: Type.Literal('session'),
            id: Type.String(),
            revoked: Type.Literal(true),
          }),
        },
      },
    },
    async (request, reply) => {
      const id = request.caller().credentialId;
      await access.sessions.revoke(id);
      noStore(reply).header('set-cookie', access.cookieFor('', 0));
      return { object: 'session' as const, id, revoked: true as const };
    },
  );
}

export const visitorOf = (request: FastifyRequest): SessionOrigin => ({
  address: request.ip,
  agent: request.headers['user-agent'] ?? null,
});

export const showSession = (signedIn: SignedInSession) => ({
  object: 'session' as const,
  token: signedIn.token,
  expires_at: signedIn.expiresAt,
  user: signedIn.user,
  organization: signedIn.organization,
});

const SessionParams = Type.Object({ id: Type.String({ maxLength: 64 }) });
type SessionParams = Static<typeof SessionParams>;

const ListedSession = Type.Object({
  object: Type.Literal('session'),
  id: Type.String(),
  current: Type.Boolean({ description: 'Whether this is the session that made the request.' }),
  created_at: Type.Integer(),
  last_seen_at: Type.Integer(),
  expires_at: Type.Integer(),
  address: Nullable(Type.String()),
  agent: Nullable(Type.String()),
});

function sessionListRoutes(app: FastifyInstance, access: AccessService): void {
  app.get<{ Querystring: WholeQuery }>(
    '/auth/sessions',
    {
      config: { access: USER },
      schema: {
        summary: 'List the user’s active sessions, newest first',
        tags,
        querystring: WholeQuery,
        response: {
          200: Type.Object({
            object: Type.Literal('list'),
            data: Type.Array(ListedSession),
            next_cursor: Nullable(Type.String()),
          }),
        },
      },
    },
    async (request) => {
      const { userId, credentialId } = request.caller();
      const sessions = await access.sessions.list(userId as string);
      return pageOfWhole(
        sessions,
        request.query,
        ({ id }) => id,
        (session) => ({
          object: 'session' as const,
          id: session.id,
          current: session.id === credentialId,
          created_at: session.createdAt,
          last_seen_at: session.lastSeenAt,
          expires_at: session.expiresAt,
          address: session.address,
          agent: session.agent,
        }),
      );
    },
  );
  app.delete<{ Params: SessionParams }>(
    '/auth/sessions/:id',
    {
      config: { access: USER },
      schema: {
        summary: 'End one of the user’s sessions',
        tags,
        params: SessionParams,
        response: {
          200: Type.Object({
            id: Type.String(),
            object: Type.Literal('session'),
            deleted: Type.Literal(true),
          }),
        },
      },
    },
    async (request) => {
      const { id } = request.params;
      const ended = await access.sessions.revokeOf(request.caller().userId as string, id);
      if (!ended) throw new NoSuchError('session');
      return { id, object: 'session' as const, deleted: true as const };
    },
  );
}

const noStore = (reply: FastifyReply): FastifyReply => reply.header('cache-control', 'no-store');

export const sessionCredentialOf = (request: FastifyRequest): RequestCredentials => ({
  authorization: request.headers.authorization,
  apiKeyHeader: undefined,
  apiKeyQuery: undefined,
  protocols: [],
  cookie: request.headers.cookie,
  origin: request.headers.origin,
  host: request.headers.host,
  remoteAddress: request.ip,
});
