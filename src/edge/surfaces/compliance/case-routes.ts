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
      summary: 'Create a compliance case for a new number or a port-in',
      description:
        'The rules in force are frozen in `rules_snapshot`; later rule changes do not affect the case. A market without rules is rejected. `missing` lists what is needed next.',
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
      summary: 'List compliance cases, newest first',
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
      summary: 'Retrieve a compliance case with its documents, missing items and timeline',
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
      summary: 'Update the use case or the phone number of a compliance case',
      description:
        'A case can be updated until it is submitted, and again if the network requests changes. An update resolves the network’s request; submit the case again afterwards.',
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
        summary: 'Accept an attestation of a compliance case',
        description:
          '`manual_review` releases a case that a person must review. Only a signed-in owner or admin of the organization can accept it, once nothing else is missing; API keys cannot. Changed evidence revokes it.',
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
      summary: 'Cancel a compliance case that has not been submitted',
      description:
        'Document processing stops. Documents are kept for the retention period that the rules of the case require.',
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
