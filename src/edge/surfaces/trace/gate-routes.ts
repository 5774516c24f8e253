import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { tenantScopeOf } from '../../../foundation/access/index.ts';
import { ApiError, NoSuchError } from '../../../foundation/platform/errors.ts';
import { isId } from '../../../foundation/platform/ids.ts';
import { PageQuery, pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import type { TraceConsentRow, TraceSuppressionRow } from '../../../foundation/storage/tables/trace.ts';
import {
  type ContactPermissions,
  canonicalNumber,
  type PreDialCheck,
} from '../../../products/trace/index.ts';
import {
  Consent,
  ConsentBody,
  ConsentList,
  ConsentParams,
  ConsentQuery,
  GateAnswer,
  GateBody,
  Released,
  Suppression,
  SuppressionBody,
  SuppressionList,
  SuppressionQuery,
} from './gate-schemas.ts';

export interface GateDeps {
  readonly gate: PreDialCheck;
  readonly permissions: ContactPermissions;
}

const tags = ['Trace'];
const READ = { access: { kind: 'key', scope: 'trace:read' } } as const;
const CONFIGURE = { access: { kind: 'key', scope: 'trace:configure' } } as const;

export function gateRoutes(app: FastifyInstance, { gate, permissions }: GateDeps): void {
  suppressionRoutes(app, permissions);
  consentRoutes(app, permissions);

  app.post<{ Body: Static<typeof GateBody> }>('/v1/trace/gate', {
    config: CONFIGURE,
    schema: {
      summary: 'Check whether a phone number may be called now',
      description: 'An allowed call counts as an attempt. A refusal lists every reason.',
      tags,
      body: GateBody,
      response: { 200: GateAnswer },
    },
    handler: async (request) =>
      await gate.ask(tenantScopeOf(request.caller()), request.body.to, request.body.agent_id ?? null),
  });
}

function consentRoutes(app: FastifyInstance, permissions: ContactPermissions): void {
  app.post<{ Body: Static<typeof ConsentBody> }>('/v1/trace/consents', {
    config: CONFIGURE,
    schema: {
      summary: 'Record a person’s consent to be called',
      tags,
      body: ConsentBody,
      response: { 201: Consent },
    },
    handler: async (request, reply) => {
      const { phone_number, evidence = null, ...consent } = request.body;
      const row = await permissions.consent(tenantScopeOf(request.caller()), {
        ...consent,
        phone_number: numberOf(phone_number),
        evidence,
      });
      return reply.code(201).send(showConsent(row));
    },
  });

  app.get<{ Querystring: Static<typeof ConsentQuery> }>('/v1/trace/consents', {
    config: READ,
    schema: {
      summary: 'List consents, newest first',
      description: 'Revoked consents are included, because earlier calls were based on them.',
      tags,
      querystring: ConsentQuery,
      response: { 200: ConsentList },
    },
    handler: async (request) => {
      const { phone_number: said, ...query } = request.query;
      const filter = { phone_number: said === undefined ? undefined : numberOf(said) };
      const rows = await permissions.consents(
        tenantScopeOf(request.caller()),
        filter,
        query,
        pageStart(query),
      );
      const end = ({ created_at, id }: TraceConsentRow) => ({ createdAt: Number(created_at), id });
      return pageOf(rows, query, end, showConsent);
    },
  });

  app.post<{ Params: Static<typeof ConsentParams> }>('/v1/trace/consents/:id/revoke', {
    config: { ...CONFIGURE, errors: ['not_found'] },
    schema: {
      summary: 'Revoke a consent',
      description:
        'The gate uses the most recent consent. If it is revoked, earlier consents do not become valid again. Revoking a consent twice has no effect.',
      tags,
      params: ConsentParams,
      response: { 200: Consent },
    },
    handler: async (request) => {
      const { id } = request.params;
      const row = isId('tcon', id)
        ? await permissions.revoke(tenantScopeOf(request.caller()), id, request.doer())
        : null;
      if (row === null) throw new NoSuchError('consent');
      return showConsent(row);
    },
  });
}

function suppressionRoutes(app: FastifyInstance, permissions: ContactPermissions): void {
  app.get<{ Querystring: Static<typeof PageQuery> }>('/v1/trace/suppressions', {
    config: READ,
    schema: {
      summary: 'List suppressed numbers, newest first',
      tags,
      querystring: PageQuery,
      response: { 200: SuppressionList },
    },
    handler: async (request) => {
      const { query } = request;
      const rows = await permissions.list(tenantScopeOf(request.caller()), query, pageStart(query));
      const end = (row: TraceSuppressionRow) => ({ createdAt: Number(row.created_at), id: row.phone_number });
      return pageOf(rows, query, end, show);
    },
  });

  app.post<{ Body: Static<typeof SuppressionBody> }>('/v1/trace/suppressions', {
    config: CONFIGURE,
    schema: {
      summary: 'Add a number to the do-not-call list',
      description: 'If the number is already on the list, its entry is unchanged.',
      tags,
      body: SuppressionBody,
      response: { 201: Suppression },
    },
    handler: async (request, reply) => {
      const { phone_number, reason } = request.body;
      const row = await permissions.suppress(tenantScopeOf(request.caller()), numberOf(phone_number), reason);
      return reply.code(201).send(show(row));
    },
  });

  app.delete<{ Querystring: Static<typeof SuppressionQuery> }>('/v1/trace/suppressions', {
    config: { ...CONFIGURE, errors: ['not_found'] },
    schema: {
      summary: 'Remove a number from the do-not-call list',
      tags,
      querystring: SuppressionQuery,
      response: { 200: Released },
    },
    handler: async (request) => {
      const number = numberOf(request.query.phone_number);
      if (!(await permissions.release(tenantScopeOf(request.caller()), number)))
        throw new ApiError('not_found', 'The number is not on the list.');
      return { id: number, object: 'trace.suppression' as const, deleted: true as const };
    },
  });
}

const show = ({ phone_number, reason, interaction_id, created_at }: TraceSuppressionRow) => ({
  object: 'trace.suppression' as const,
  phone_number,
  reason,
  interaction_id,
  created_at: Number(created_at),
});

const showConsent = (row: TraceConsentRow) => ({
  id: row.id,
  object: 'trace.consent' as const,
  phone_number: row.phone_number,
  basis: row.basis,
  obtained_at: Number(row.obtained_at),
  evidence: row.evidence,
  revoked_at: row.revoked_at === null ? null : Number(row.revoked_at),
  created_at: Number(row.created_at),
});

function numberOf(text: string): string {
  const number = canonicalNumber(text);
  if (number === null)
    throw new ApiError(
      'invalid_request',
      'The number must be a telephone number in E.164 form, such as +34911234567.',
      { param: 'phone_number' },
    );
  return number;
}
