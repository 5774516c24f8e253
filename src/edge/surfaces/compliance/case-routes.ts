import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Static } from 'typebox';
import { isAtLeast, tenantScopeIn } from '../../../foundation/access/index.ts';
import { pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import {
  type AssessedCase,
  type CaseView,
  type ComplianceService,
  viewOf,
} from '../../../telephony/compliance/index.ts';
import { expectedVersion } from './if-match.ts';
import {
  AttestationBody,
  CancelBody,
  Case,
  CaseChange,
  CaseList,
  CaseParams,
  CaseQuery,
  IfMatch,
  NewCase,
  ProjectQuery,
} from './schemas.ts';

export const BASE = '/v1/telephony/compliance-cases';
export const MANAGER_ACCESS = { access: { kind: 'key', scope: 'telephony:manage' } } as const;
const ATTESTER_ACCESS = { kind: 'member', scope: 'telephony:manage', role: 'developer' } as const;
export const CASE_CHANGE_ERRORS = ['version_conflict', 'case_closed'] as const;
export const tags = ['Telephony'];

export const sendCase = (reply: FastifyReply, view: CaseView, status = 200) =>
  reply.code(status).header('etag', `"${view.version}"`).send(view);

export function caseRoutes(app: FastifyInstance, service: ComplianceService): void {
  const { cases, caseService } = service;
  app.post<{ Body: Static<typeof NewCase> }>(BASE, {
    config: { ...MANAGER_ACCESS, idempotent: 'required', errors: ['rules_unavailable'] },
    schema: {
      summary: 'Open a compliance case for a new number or a transfer',
      description:
        'The rules in force are frozen into `rules_snapshot` and never read again for this case. A market without rules is refused. `missing` says what is wanted next.',
      tags,
      body: NewCase,
      response: { 201: Case },
    },
    handler: async (request, reply) => {
      const { external_id = null, phone_number = null, ...subject } = request.body;
      const given = { ...subject, external_id, phone_number };
      const made = await request.once(async (keep) =>
        viewOf(
          await cases.create(request.tenantScope(), given, request.doer(), (trx, looked) =>
            keep(trx, viewOf(looked)),
          ),
        ),
      );
      return sendCase(reply, made, 201);
    },
  });

  app.get<{ Querystring: Static<typeof CaseQuery> }>(BASE, {
    config: MANAGER_ACCESS,
    schema: {
      summary: 'Compliance cases, newest first',
      tags,
      querystring: CaseQuery,
      response: { 200: CaseList },
    },
    handler: async (request) => {
      const { query } = request;
      const found = await cases.list(request.tenantScope(), query, query, pageStart(query));
      const end = ({ dossier: { row } }: AssessedCase) => ({ createdAt: Number(row.created_at), id: row.id });
      return pageOf(found, query, end, viewOf);
    },
  });

  app.get<{ Params: CaseParams }>(`${BASE}/:id`, {
    config: MANAGER_ACCESS,
    schema: {
      summary: 'A compliance case: what it is, what is missing, and all that happened',
      tags,
      params: CaseParams,
      response: { 200: Case },
    },
    handler: async (request, reply) =>
      sendCase(reply, viewOf(await caseService.current(request.tenantScope(), request.params.id))),
  });

  app.patch<{ Params: CaseParams; Body: Static<typeof CaseChange> }>(`${BASE}/:id`, {
    config: { ...MANAGER_ACCESS, errors: [...CASE_CHANGE_ERRORS] },
    schema: {
      summary: 'Change what a case says of the use, or which number it names',
      description:
        'Until it is submitted, and again where the network asked back. What was asked back is then settled: submit again.',
      tags,
      params: CaseParams,
      headers: IfMatch,
      body: CaseChange,
      response: { 200: Case },
    },
    handler: async (request, reply) => {
      const expected = expectedVersion(request);
      const { id } = request.params;
      return sendCase(
        reply,
        viewOf(await cases.change(request.tenantScope(), id, expected, request.body, request.doer())),
      );
    },
  });
  attestationRoutes(app, service);
  cancelRoute(app, service);
}

function attestationRoutes(
  app: FastifyInstance,
  { attestations }: Pick<ComplianceService, 'attestations'>,
): void {
  app.post<{ Params: CaseParams; Querystring: ProjectQuery; Body: Static<typeof AttestationBody> }>(
    `${BASE}/:id/attestations`,
    {
      config: {
        access: ATTESTER_ACCESS,
        idempotent: 'optional',
        errors: [...CASE_CHANGE_ERRORS, 'case_not_ready'],
      },
      schema: {
        summary: 'Attest what a case asks to attest',
        description:
          '`manual_review` releases a case that a person must review. A signed-in owner or admin of the organization gives it, once nothing else is missing; no API key can. Evidence that changes takes it back.',
        tags,
        params: CaseParams,
        querystring: ProjectQuery,
        headers: IfMatch,
        body: AttestationBody,
        response: { 200: Case },
      },
      handler: async (request, reply) => {
        const { attestation_request_id: asked } = request.body;
        const expected = expectedVersion(request);
        const { person } = request.caller();
        const isReviewer = person !== null && isAtLeast(person.role, 'admin');
        const scope = tenantScopeIn(request.caller(), request.query);
        const who = { by: request.doer(), isReviewer };
        const view = await request.once(async (keep) =>
          viewOf(
            await attestations.add(scope, request.params.id, expected, asked, who, (trx, looked) =>
              keep(trx, viewOf(looked)),
            ),
          ),
        );
        return sendCase(reply, view);
      },
    },
  );
}

function cancelRoute(app: FastifyInstance, { cases }: Pick<ComplianceService, 'cases'>): void {
  app.post<{ Params: CaseParams; Body: Static<typeof CancelBody> }>(`${BASE}/:id/cancel`, {
    config: { ...MANAGER_ACCESS, errors: [...CASE_CHANGE_ERRORS] },
    schema: {
      summary: 'Give a case up, at any time before it is submitted',
      description: 'Reading stops. Documents are kept for as long as the rules of the case say.',
      tags,
      params: CaseParams,
      headers: IfMatch,
      body: CancelBody,
      response: { 200: Case },
    },
    handler: async (request, reply) => {
      const expected = expectedVersion(request);
      const { reason = null } = request.body;
      const { id } = request.params;
      return sendCase(
        reply,
        viewOf(await cases.cancel(request.tenantScope(), id, expected, reason, request.doer())),
      );
    },
  });
}
