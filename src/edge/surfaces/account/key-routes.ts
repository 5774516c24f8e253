import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import {
  type AccessService,
  ADMINISTRATIVE,
  type ApiKey,
  administrativeIn,
  isAtLeast,
  type Principal,
  requireRole,
  SANDBOX_SCOPES,
  SCOPES,
} from '../../../foundation/access/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { DEFAULT_PAGE, PageQuery, pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import { IssuedKeyView, KeyList, KeyView, Micros, Nullable, showIssuedKey, showKey } from './schemas.ts';

/** This is the latest time that a JavaScript date represents, and every database stores it. */
const LAST_MOMENT = 8_640_000_000_000_000;

const NewKey = Type.Object({
  name: Type.Optional(Type.String({ maxLength: 200 })),
  environment: Type.Enum(['live', 'sandbox']),
  scopes: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      minItems: 1,
      maxItems: 64,
      description:
        'Scopes, scope families (`hear:*`) or `*`. Defaults to every scope; administrative scopes are only included if an admin creates the key.',
    }),
  ),
  project_id: Type.Optional(
    Type.String({ maxLength: 64, description: 'Defaults to the user’s first project.' }),
  ),
  budget_micros: Type.Optional(Nullable(Micros)),
  expires_at: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: LAST_MOMENT }))),
});
type NewKey = Static<typeof NewKey>;

const Change = Type.Object({ budget_micros: Nullable(Micros) });
type Change = Static<typeof Change>;

const Params = Type.Object({ id: Type.String({ maxLength: 64 }) });
type Params = Static<typeof Params>;

const config = { access: { kind: 'user', role: 'developer' } } as const;
const READING = { access: { kind: 'user' } } as const;
const tags = ['Keys'];

export function keyRoutes(app: FastifyInstance, access: AccessService, clock: Clock): void {
  app.post<{ Body: NewKey }>(
    '/v1/keys',
    {
      config: { ...config, errors: ['not_found'] },
      schema: {
        summary: 'Create an API key; its secret is returned only once',
        tags,
        body: NewKey,
        response: { 201: IssuedKeyView },
      },
    },
    async (request, reply) => {
      const caller = request.caller();
      const { name, environment, scopes, budget_micros, expires_at, project_id } = request.body;
      if (expires_at != null && expires_at <= clock.now()) {
        throw new ApiError('invalid_request', 'expires_at must be in the future.', { param: 'expires_at' });
      }
      const key = await access.keys.create({
        orgId: caller.orgId,
        projectId: await access.projects.chosen(caller, project_id),
        name: name ?? '',
        environment,
        scopes: scopesFor(caller, environment, scopes),
        budgetMicros: budget_micros ?? null,
        expiresAt: expires_at ?? null,
        createdBy: caller.userId,
        by: request.doer(),
      });
      reply.code(201).header('cache-control', 'no-store');
      return showIssuedKey(key);
    },
  );
  app.get<{ Querystring: PageQuery }>(
    '/v1/keys',
    {
      config: READING,
      schema: {
        summary: 'List API keys, newest first',
        tags,
        querystring: PageQuery,
        response: { 200: KeyList },
      },
    },
    async (request) => {
      const { query } = request;
      const rows = await access.keys.list(
        request.caller().orgId,
        pageStart(query),
        query.limit ?? DEFAULT_PAGE,
        request.caller().person?.projects ?? null,
      );
      return pageOf(rows, query, (key: ApiKey) => ({ createdAt: key.createdAt, id: key.id }), showKey);
    },
  );
  keyChanges(app, access);
}

function keyChanges(app: FastifyInstance, access: AccessService): void {
  app.post<{ Params: Params }>(
    '/v1/keys/:id/rotate',
    {
      config,
      schema: {
        summary: 'Rotate an API key; the old secret is rejected immediately',
        tags,
        params: Params,
        response: { 200: IssuedKeyView },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return showIssuedKey(
        await access.keys.rotate(request.caller().orgId, request.params.id, actingOf(request)),
      );
    },
  );
  app.post<{ Params: Params }>(
    '/v1/keys/:id/revoke',
    {
      config,
      schema: {
        summary: 'Revoke an API key and end every session that uses it',
        tags,
        params: Params,
        response: { 200: KeyView },
      },
    },
    async (request) =>
      showKey(await access.keys.revoke(request.caller().orgId, request.params.id, actingOf(request))),
  );
  app.patch<{ Params: Params; Body: Change }>(
    '/v1/keys/:id',
    {
      config,
      schema: {
        summary: 'Update the monthly budget of an API key',
        tags,
        params: Params,
        body: Change,
        response: { 200: KeyView },
      },
    },
    async (request) =>
      showKey(
        await access.keys.setBudget(
          request.caller().orgId,
          request.params.id,
          request.body.budget_micros,
          actingOf(request),
        ),
      ),
  );
}

const actingOf = (request: FastifyRequest) => {
  const { person } = request.caller();
  return {
    by: request.doer(),
    projects: person?.projects ?? null,
    administers: person === null || isAtLeast(person.role, 'admin'),
  };
};

/** Developers grant only what they may do themselves: no administrative scope, by name or by wildcard. */
function scopesFor(
  caller: Principal,
  environment: 'live' | 'sandbox',
  wanted: readonly string[] | undefined,
): readonly string[] {
  if (wanted !== undefined) {
    if (administrativeIn(wanted) !== undefined) requireRole(caller, 'admin');
    return wanted;
  }
  const every = environment === 'sandbox' ? SANDBOX_SCOPES : SCOPES;
  const administers = caller.person === null || isAtLeast(caller.person.role, 'admin');
  return administers ? every : every.filter((scope) => !ADMINISTRATIVE.includes(scope));
}
