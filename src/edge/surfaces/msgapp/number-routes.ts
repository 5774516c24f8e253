import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import type { MsgappNumberRow } from '../../../foundation/storage/tables/msgapp.ts';
import type { MsgappDeps } from './index.ts';
import { providerAnswers } from './provider-answers.ts';
import {
  AssignBody,
  CallingBody,
  Number_,
  NumberQuery,
  PermissionBody,
  PermissionQuery,
  PermissionView,
  RegisterBody,
  showNumber,
} from './schemas.ts';

const access = { kind: 'key', scope: 'telephony:manage' } as const;
const tags = ['Messaging'];
const Params = Type.Object({ id: Type.String({ maxLength: 64 }) });
type Params = Static<typeof Params>;
const NumberList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Number_),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});
const Deleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('msgapp.number'),
  deleted: Type.Literal(true),
});
const NUMBER_ACCESS = 'May we call you by this app?';

export function numberRoutes(app: FastifyInstance, deps: MsgappDeps): void {
  const { numbers } = deps;
  app.post<{ Body: RegisterBody }>(
    '/v1/msgapp/numbers',
    {
      config: { access },
      schema: { summary: 'Register a business number', tags, body: RegisterBody, response: { 201: Number_ } },
    },
    async (request, reply) => {
      const { body } = request;
      const asked = {
        keyId: request.caller().keyId as string,
        wabaId: body.waba_id,
        phoneNumberId: body.phone_number_id,
        phoneNumber: body.phone_number,
        appId: body.app_id,
        accessToken: body.access_token,
        appSecret: body.app_secret,
        verifyToken: body.verify_token,
      };
      const row = await numbers.register(request.tenantScope(), asked, request.doer());
      reply.code(201);
      return showNumber(row);
    },
  );
  app.get<{ Querystring: NumberQuery }>(
    '/v1/msgapp/numbers',
    {
      config: { access },
      schema: {
        summary: 'List business numbers, newest first',
        tags,
        querystring: NumberQuery,
        response: { 200: NumberList },
      },
    },
    async (request) => {
      const rows = await numbers.list(request.tenantScope(), request.query, pageStart(request.query));
      const end = (row: MsgappNumberRow) => ({ createdAt: Number(row.created_at), id: row.id });
      return pageOf(rows, request.query, end, showNumber);
    },
  );
  app.get<{ Params: Params }>(
    '/v1/msgapp/numbers/:id',
    {
      config: { access },
      schema: { summary: 'Retrieve a business number', tags, params: Params, response: { 200: Number_ } },
    },
    async (request) => showNumber(await numbers.get(request.tenantScope(), request.params.id)),
  );
  app.delete<{ Params: Params }>(
    '/v1/msgapp/numbers/:id',
    {
      config: { access },
      schema: { summary: 'Release a business number', tags, params: Params, response: { 200: Deleted } },
    },
    async (request) => {
      const { id } = request.params;
      await numbers.release(request.tenantScope(), id, request.doer());
      return { id, object: 'msgapp.number' as const, deleted: true as const };
    },
  );
  changeRoutes(app, deps);
}

function changeRoutes(app: FastifyInstance, deps: MsgappDeps): void {
  const { numbers, permissions, provider } = deps;
  app.post<{ Params: Params; Body: AssignBody }>(
    '/v1/msgapp/numbers/:id/assign',
    {
      config: { access },
      schema: {
        summary: 'Assign an agent to a business number',
        tags,
        params: Params,
        body: AssignBody,
        response: { 200: Number_ },
      },
    },
    async (request) => {
      const scope = request.tenantScope();
      const { agent_id } = request.body;
      const row = await numbers.active(scope, request.params.id);
      if (agent_id !== null && !(await deps.isAgent(scope, agent_id)))
        throw new ApiError(
          'invalid_request',
          'there is no such agent, or none of its versions is published',
          { param: 'agent_id' },
        );
      return showNumber(await numbers.change(scope, row.id, { agent_id }, request.doer()));
    },
  );
  app.put<{ Params: Params; Body: CallingBody }>(
    '/v1/msgapp/numbers/:id/calling',
    {
      config: { access, errors: ['unavailable', 'provider_refused'] },
      schema: {
        summary: 'Update the calling settings at the provider, and read them back',
        tags,
        params: Params,
        body: CallingBody,
        response: { 200: Number_ },
      },
    },
    async (request) => {
      const scope = request.tenantScope();
      const row = await numbers.active(scope, request.params.id);
      return showNumber(await pushToProvider(deps, row, request));
    },
  );
  app.get<{ Params: Params; Querystring: PermissionQuery }>(
    '/v1/msgapp/numbers/:id/call-permissions',
    {
      config: { access },
      schema: {
        summary: 'Get the call permission of a person',
        tags,
        params: Params,
        querystring: PermissionQuery,
        response: { 200: PermissionView },
      },
    },
    async (request) => {
      const scope = request.tenantScope();
      const { to } = request.query;
      const row = await numbers.get(scope, request.params.id);
      const permission = await permissions.of(scope, row.id, to);
      return { object: 'msgapp.call_permission' as const, number_id: row.id, to, ...permission };
    },
  );
  app.post<{ Params: Params; Body: PermissionBody }>(
    '/v1/msgapp/numbers/:id/call-permissions',
    {
      config: { access, errors: ['unavailable', 'provider_refused', 'rate_limit_exceeded'] },
      schema: {
        summary: 'Request call permission from a person',
        tags,
        params: Params,
        body: PermissionBody,
        response: { 202: PermissionView },
      },
    },
    async (request, reply) => {
      const scope = request.tenantScope();
      const { to, text = NUMBER_ACCESS } = request.body;
      const row = await numbers.active(scope, request.params.id);
      await permissions.mayAsk(scope, row.id, to);
      await providerAnswers(provider.askPermission(numbers.accountOf(row), to.slice(1), text));
      const permission = await permissions.asked(scope, row.id, to);
      reply.code(202);
      return { object: 'msgapp.call_permission' as const, number_id: row.id, to, ...permission };
    },
  );
}

/** The record shows the provider's confirmed settings, not the requested ones. */
async function pushToProvider(
  { numbers, provider }: MsgappDeps,
  row: MsgappNumberRow,
  request: FastifyRequest<{ Params: Params; Body: CallingBody }>,
): Promise<MsgappNumberRow> {
  const account = numbers.accountOf(row);
  await providerAnswers(provider.pushSettings(account, request.body));
  await numbers.proven(request.tenantScope(), row.id);
  const { calling } = await providerAnswers(provider.settings(account));
  const settings =
    typeof calling === 'object' && calling !== null ? (calling as Record<string, unknown>) : {};
  const change = {
    calling_enabled: settings.status === 'ENABLED' ? 1 : 0,
    calling_settings: JSON.stringify(settings),
  };
  return await numbers.change(request.tenantScope(), row.id, change, request.doer());
}
