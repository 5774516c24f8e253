import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { BlobTooLargeError } from '../../../foundation/storage/index.ts';
import { type ComplianceService, MOST_BYTES, viewOf } from '../../../telephony/compliance/index.ts';
import { defineForm } from '../../server/surface.ts';
import { BASE, CASE_CHANGE_ERRORS, MANAGER_ACCESS, sendCase, tags } from './case-routes.ts';
import { expectedVersion } from './if-match.ts';
import { Case, CaseParams, CorrectionBody, DocumentParams, IfMatch, UploadFields } from './schemas.ts';

const form = defineForm(UploadFields, {
  file: { required: true, description: 'A PDF, PNG or JPEG, by its content' },
});

export function evidenceRoutes(app: FastifyInstance, service: ComplianceService): void {
  documentRoutes(app, service);
  downloadRoute(app, service);
  correctionRoutes(app, service);
  submissionRoute(app, service);
}

function documentRoutes(app: FastifyInstance, { uploads, caseService }: ComplianceService): void {
  app.post<{ Params: CaseParams }>(`${BASE}/:id/documents`, {
    config: {
      ...MANAGER_ACCESS,
      form: form.schema,
      errors: [...CASE_CHANGE_ERRORS, 'storage_quota_exceeded'],
    },
    schema: {
      summary: 'Upload a document that a case asks for',
      description:
        'A newer file of the same request takes the place of the older one. The same bytes again change nothing. The case is `extracting` until the document has been read.',
      tags,
      params: CaseParams,
      headers: IfMatch,
      response: { 201: Case },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const expected = expectedVersion(request);
      await caseService.look(request.tenantScope(), id);
      const { fields, files } = await form.read(request, {
        maxBytes: MOST_BYTES,
        store: ({ name, bytes }) => uploads.store(request.tenantScope(), id, name, bytes).catch(tooLarge),
        discard: (file) => uploads.discard(id, file),
      });
      const file = files.file as NonNullable<typeof files.file>;
      const request_id = fields.document_request_id;
      const looked = await uploads.add(request.tenantScope(), id, expected, request_id, file, request.doer());
      return sendCase(reply, viewOf(looked), 201);
    },
  });
}

const bytes = { schema: { type: 'string', format: 'binary' } };
const DocumentFile = {
  description: 'The file',
  content: { 'application/pdf': bytes, 'image/png': bytes, 'image/jpeg': bytes },
};

function downloadRoute(app: FastifyInstance, { uploads }: ComplianceService): void {
  app.get<{ Params: Static<typeof DocumentParams> }>(`${BASE}/:id/documents/:upload_id`, {
    config: MANAGER_ACCESS,
    schema: {
      summary: 'A document as it was uploaded',
      description:
        'Nothing of it is masked; the audit log keeps who read it. 404 once its bytes were removed.',
      tags,
      params: DocumentParams,
      response: { 200: DocumentFile },
    },
    handler: async (request, reply) => {
      const { id, upload_id: upload } = request.params;
      const document = await uploads.open(request.tenantScope(), id, upload, request.doer());
      return reply
        .header('content-type', document.mimeType)
        .header('content-length', String(document.bytes))
        .header('content-disposition', `attachment; filename="${upload}"`)
        .header('cache-control', 'no-store')
        .send(document.stream);
    },
  });
}

function tooLarge(error: unknown): never {
  if (error instanceof BlobTooLargeError)
    throw new ApiError('payload_too_large', error.message, { param: 'file', cause: error });
  throw error;
}

function correctionRoutes(app: FastifyInstance, service: ComplianceService): void {
  app.post<{ Params: CaseParams; Body: Static<typeof CorrectionBody> }>(`${BASE}/:id/corrections`, {
    config: { ...MANAGER_ACCESS, idempotent: 'optional', errors: [...CASE_CHANGE_ERRORS] },
    schema: {
      summary: 'Say what a document says, where it was read wrongly or not at all',
      description: 'The value before and the value given are kept sealed, and shown by nobody.',
      tags,
      params: CaseParams,
      headers: IfMatch,
      body: CorrectionBody,
      response: { 200: Case },
    },
    handler: async (request, reply) => {
      const expected = expectedVersion(request);
      const { body, params } = request;
      const view = await request.once(async (keep) =>
        viewOf(
          await service.corrections.add(
            request.tenantScope(),
            params.id,
            expected,
            body,
            request.doer(),
            (trx, looked) => keep(trx, viewOf(looked)),
          ),
        ),
      );
      return sendCase(reply, view);
    },
  });
}

function submissionRoute(app: FastifyInstance, { submissions }: ComplianceService): void {
  app.post<{ Params: CaseParams }>(`${BASE}/:id/submit`, {
    config: {
      ...MANAGER_ACCESS,
      idempotent: 'optional',
      errors: [...CASE_CHANGE_ERRORS, 'case_not_ready', 'network_not_configured'],
    },
    schema: {
      summary: 'Submit a case that is ready to the network’s review',
      description:
        'The network evaluates it first: it takes it (`submitted`), or asks back (`needs_review`). `network_status` then follows the review.',
      tags,
      params: CaseParams,
      headers: IfMatch,
      response: { 200: Case },
    },
    handler: async (request, reply) => {
      const expected = expectedVersion(request);
      const { id } = request.params;
      const view = await request.once(async (keep) =>
        viewOf(
          await submissions.submit(request.tenantScope(), id, expected, request.doer(), (trx, looked) =>
            keep(trx, viewOf(looked)),
          ),
        ),
      );
      return sendCase(reply, view);
    },
  });
}
