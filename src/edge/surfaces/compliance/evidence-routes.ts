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
  file: { required: true, description: 'A PDF, PNG or JPEG file; the type is detected from its content.' },
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
      summary: 'Upload a document that a compliance case requests',
      description:
        'A newer file for the same request replaces the older one. Uploading identical bytes again has no effect. The case is `extracting` until the document has been processed.',
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
  description: 'The document.',
  content: { 'application/pdf': bytes, 'image/png': bytes, 'image/jpeg': bytes },
};

function downloadRoute(app: FastifyInstance, { uploads }: ComplianceService): void {
  app.get<{ Params: Static<typeof DocumentParams> }>(`${BASE}/:id/documents/:upload_id`, {
    config: MANAGER_ACCESS,
    schema: {
      summary: 'Download an uploaded document',
      description:
        'The document is returned unredacted, and the audit log records the access. Returns 404 after the retention period.',
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
      summary: 'Correct an extracted value',
      description:
        'Both the extracted and the corrected value are stored encrypted, and neither is returned.',
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
      summary: 'Submit a compliance case to the network for review',
      description:
        'The network first evaluates the case: it accepts it (`submitted`) or requests changes (`needs_review`). `network_status` then reflects the review.',
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
