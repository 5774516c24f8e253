import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { type AccessService, ENTITLEMENTS } from '../../../foundation/access/index.ts';
import { PageQuery, pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import { PlainText } from '../../../foundation/platform/plain-text.ts';
import type { PlanRow } from '../../../foundation/storage/tables/access.ts';
import { Nullable } from './schemas.ts';

const OPERATOR = { access: { kind: 'operator' } } as const;
const tags = ['Plans'];

const count = (description: string, most = Number.MAX_SAFE_INTEGER) =>
  Type.Integer({ minimum: 1, maximum: most, description });

const Limits = Type.Object({
  rps: count('Requests per second per key.', 1_000_000),
  burst: count('Burst of requests per key.', 1_000_000),
  concurrency: count('Concurrent live sessions per key.', 1_000_000),
  daily_cap_units: Nullable(count('Units (seconds of audio) per UTC day; null means no cap.')),
  quota_units: Nullable(count('Units per UTC month; null means no quota.')),
  sync_upload_bytes: count('Maximum size of a recording for synchronous transcription, in bytes.'),
  sync_upload_seconds: count('Maximum duration of a recording for synchronous transcription, in seconds.'),
  job_upload_bytes: count('Maximum size of a recording for a transcription job, in bytes.'),
  job_upload_seconds: count('Maximum duration of a recording for a transcription job, in seconds.'),
  storage_bytes: Nullable(
    count('Maximum total size of an organization’s stored files, in bytes; null means no quota.'),
  ),
  numbers_max: count('Maximum number of phone numbers per organization.', 1_000_000),
});
const Plan = Type.Object({ id: Type.String(), object: Type.Literal('plan'), ...Limits.properties });
const Change = Type.Partial(Limits);
type Change = Static<typeof Change>;

const Id = Type.Object({ id: Type.String({ pattern: '^[a-z][a-z0-9_-]{0,31}$' }) });
type Id = Static<typeof Id>;

const show = (row: PlanRow) => ({ object: 'plan' as const, ...row });

const OrganizationChange = Type.Object({ plan: Type.String({ maxLength: 32 }) });
type OrganizationChange = Static<typeof OrganizationChange>;

const EntitlementView = Type.Object({
  id: Type.String(),
  object: Type.Literal('organization.entitlements'),
  entitlements: Type.Array(Type.Enum([...ENTITLEMENTS])),
});
const OrganizationView = Type.Object({
  id: Type.String(),
  object: Type.Literal('organization'),
  name: Type.String(),
  plan: Type.String(),
  entitlements: Type.Array(Type.Enum([...ENTITLEMENTS])),
  created_at: Type.Integer(),
});
const OrganizationQuery = Type.Object({
  ...PageQuery.properties,
  search: Type.Optional(PlainText(128, 'Part of a name (case-insensitive), or an ID.')),
});
type OrganizationQuery = Static<typeof OrganizationQuery>;
const EntitlementBody = Type.Object({
  id: Type.String({ maxLength: 64 }),
  name: Type.Enum([...ENTITLEMENTS]),
});
type EntitlementBody = Static<typeof EntitlementBody>;

export function entitlementRoutes(app: FastifyInstance, { entitlements }: AccessService): void {
  const config = { ...OPERATOR, errors: ['not_found'] } as const;
  const of = (id: string, granted: Static<typeof EntitlementView>['entitlements']) => ({
    id,
    object: 'organization.entitlements' as const,
    entitlements: granted,
  });
  app.get<{ Querystring: OrganizationQuery }>(
    '/v1/organizations',
    {
      config: OPERATOR,
      schema: {
        summary: 'List all organizations with their plans and entitlements, newest first',
        description: 'Organizations created for sandbox keys without an account are not included.',
        tags,
        querystring: OrganizationQuery,
        response: {
          200: Type.Object({
            object: Type.Literal('list'),
            data: Type.Array(OrganizationView),
            next_cursor: Nullable(Type.String()),
          }),
        },
      },
    },
    async ({ query }) =>
      pageOf(
        await entitlements.accounts(query, pageStart(query)),
        query,
        ({ created_at, id }) => ({ createdAt: created_at, id }),
        (row) => ({ ...row, object: 'organization' as const, entitlements: [...row.entitlements] }),
      ),
  );
  app.put<{ Params: EntitlementBody }>(
    '/v1/organizations/:id/entitlements/:name',
    {
      config,
      schema: {
        summary: 'Grant an entitlement to the live keys of an organization',
        description:
          '`telephony` and `messages` give access to the operator’s account at a real carrier. On the loopback carrier, every organization has them. Sandbox keys can never use a real carrier.',
        tags,
        params: EntitlementBody,
        response: { 200: EntitlementView },
      },
    },
    async (request) => {
      const { id, name } = request.params;
      return of(id, await entitlements.set(id, name, true, request.doer()));
    },
  );
  app.delete<{ Params: EntitlementBody }>(
    '/v1/organizations/:id/entitlements/:name',
    {
      config,
      schema: {
        summary: 'Revoke an entitlement',
        tags,
        params: EntitlementBody,
        response: { 200: EntitlementView },
      },
    },
    async (request) => {
      const { id, name } = request.params;
      return of(id, await entitlements.set(id, name, false, request.doer()));
    },
  );
}

export function planRoutes(app: FastifyInstance, { plans, accounts }: AccessService): void {
  app.get(
    '/v1/plans',
    {
      config: OPERATOR,
      schema: {
        summary: 'List all plans and their limits',
        tags,
        response: { 200: Type.Object({ object: Type.Literal('list'), data: Type.Array(Plan) }) },
      },
    },
    async () => ({ object: 'list' as const, data: (await plans.list()).map(show) }),
  );
  app.put<{ Params: Id; Body: Change }>(
    '/v1/plans/:id',
    {
      config: OPERATOR,
      schema: {
        summary: 'Update a plan, or create one from `standard` with these changes',
        tags,
        params: Id,
        body: Change,
        response: { 200: Plan },
      },
    },
    async (request) => show(await plans.put(request.params.id, request.body, request.doer())),
  );
  app.put<{ Params: { id: string }; Body: OrganizationChange }>(
    '/v1/organizations/:id/plan',
    {
      config: { ...OPERATOR, errors: ['not_found'] },
      schema: {
        summary: 'Assign a plan to the live keys of an organization',
        tags,
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        body: OrganizationChange,
        response: { 200: Type.Object({ id: Type.String(), plan: Type.String() }) },
      },
    },
    async (request) => {
      const { id } = request.params;
      await accounts.change(id, { plan: request.body.plan }, request.doer());
      return { id, plan: request.body.plan };
    },
  );
}
