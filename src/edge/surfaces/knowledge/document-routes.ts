import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import {
  documentSourceKey,
  documentTextKey,
  formatFromName,
  type KnowledgeService,
  knowledgeLimitsOf,
  MEDIA_TYPES,
  newDocumentId,
} from '../../../conversation/knowledge/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import { GateError, type UrlGate } from '../../../foundation/platform/url-gate/index.ts';
import { type Blobs, BlobTooLargeError, payerOf } from '../../../foundation/storage/index.ts';
import type { KnowledgeDocumentRow } from '../../../foundation/storage/tables/knowledge.ts';
import { declaredBytes, defineForm, skipBodyOfForms } from '../../server/surface.ts';
import { KNOWLEDGE_ACCESS, tags } from './base-routes.ts';
import {
  BaseParams,
  Deleted,
  Document,
  DocumentList,
  DocumentParams,
  DocumentQuery,
  FormFields,
  NewDocument,
} from './schemas.ts';
import { documentView } from './views.ts';

export interface DocumentRoutesDeps {
  readonly knowledge: KnowledgeService;
  readonly blobs: Blobs;
  readonly gate: Pick<UrlGate, 'check'>;
}

const form = defineForm(FormFields, {
  file: { required: true, description: 'A PDF, DOCX, HTML, Markdown, TXT or CSV file.' },
});

type Request = FastifyRequest<{ Params: BaseParams; Body: NewDocument }>;

export function documentRoutes(app: FastifyInstance, deps: DocumentRoutesDeps): void {
  app.post<{ Params: BaseParams; Body: NewDocument }>('/v1/knowledgebases/:id/documents', {
    config: {
      ...KNOWLEDGE_ACCESS,
      form: form.schema,
      formOptional: true,
      idempotent: 'optional',
      errors: ['knowledge_full', 'storage_quota_exceeded'],
    },
    validatorCompiler: skipBodyOfForms(app) as never,
    schema: {
      summary: 'Add a document from a file, a URL or a text',
      description:
        'Send a form with `file`, or JSON with `url` or `text`. The document is processed in the background; poll it until its status is `indexed` or `failed`.',
      tags,
      params: BaseParams,
      body: NewDocument,
      response: { 201: Document },
    },
    handler: async (request, reply) => {
      await deps.knowledge.bases.get(request.tenantScope(), request.params.id);
      const made = request.isMultipart() ? await addFile(request, deps) : await addJson(request, deps);
      return reply.code(201).send(made);
    },
  });
  readRoutes(app, deps);
  changeRoutes(app, deps);
}

async function addJson(request: Request, deps: DocumentRoutesDeps) {
  const body = request.body as NewDocument | null | undefined;
  if (!body) throw new ApiError('invalid_request', 'The body is empty; send JSON or multipart/form-data.');
  const { url, text, title, refresh_hours: refreshHours } = body;
  if ((url === undefined) === (text === undefined)) {
    throw new ApiError('invalid_request', 'Send either url or text.', {
      param: url === undefined ? 'text' : 'url',
    });
  }
  if (url !== undefined) return await addUrl(request, deps, url, body);
  if (title === undefined)
    throw new ApiError('invalid_request', 'title is required with text.', { param: 'title' });
  if (refreshHours !== undefined) {
    throw new ApiError('invalid_request', 'refresh_hours is allowed only with url.', {
      param: 'refresh_hours',
    });
  }
  return await addText(request, deps, text as string, title);
}

async function addUrl(
  request: Request,
  { knowledge: service, gate }: DocumentRoutesDeps,
  url: string,
  {
    title = null,
    refresh_hours: refreshHours = null,
  }: { title?: string | null; refresh_hours?: number | null },
) {
  checkUrl(gate, url, 'url');
  const document = {
    id: newDocumentId(),
    source: 'url' as const,
    title,
    url,
    mediaType: MEDIA_TYPES.html,
    bytes: 0,
    refreshHours,
  };
  return await request.once(async (keep) =>
    documentView(
      await service.documents.add(request.tenantScope(), request.params.id, document, (transaction, row) =>
        keep(transaction, documentView(row)),
      ),
    ),
  );
}

async function addText(
  request: Request,
  { knowledge: service, blobs }: DocumentRoutesDeps,
  text: string,
  title: string,
) {
  const bytes = Buffer.from(text);
  const document = {
    id: newDocumentId(),
    source: 'text' as const,
    title,
    mediaType: MEDIA_TYPES.txt,
    bytes: bytes.length,
  };
  return await request.once(async (keep) => {
    await blobs.put(documentSourceKey(document.id), [bytes], {
      payer: payerOf(request.tenantScope(), bytes.length),
    });
    return await discardOnFailure(blobs, document.id, async () =>
      documentView(
        await service.documents.add(request.tenantScope(), request.params.id, document, (transaction, row) =>
          keep(transaction, documentView(row)),
        ),
      ),
    );
  });
}

async function addFile(request: Request, { knowledge: service, blobs }: DocumentRoutesDeps) {
  const id = newDocumentId();
  const { fileBytes: maxBytes } = knowledgeLimitsOf(request.tenantScope().environment);
  const payer = payerOf(request.tenantScope(), declaredBytes(request));
  const { fields, files } = await form.read(request, {
    maxBytes,
    store: async ({ name, type, bytes }) => ({
      name,
      type,
      ...(await blobs.put(documentSourceKey(id), bytes, { payer, maxBytes })),
    }),
    discard: () => blobs.delete(documentSourceKey(id)),
  });
  return await discardOnFailure(blobs, id, async () => {
    const file = files.file as NonNullable<typeof files.file>;
    const format = formatFromName(file.name, file.type);
    if (format === null) {
      throw new ApiError('invalid_request', 'file must be a PDF, DOCX, HTML, MD, TXT or CSV file.', {
        param: 'file',
      });
    }
    const row = await service.documents.add(
      request.tenantScope(),
      request.params.id,
      {
        id,
        source: 'file',
        title: fields.title ?? null,
        fileName: file.name.slice(0, 300),
        mediaType: MEDIA_TYPES[format],
        bytes: file.bytes,
      },
      async () => {},
    );
    return documentView(row);
  });
}

async function discardOnFailure<T>(blobs: Blobs, id: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await blobs.delete(documentSourceKey(id));
    if (error instanceof BlobTooLargeError)
      throw new ApiError('payload_too_large', error.message, { param: 'file', cause: error });
    throw error;
  }
}

export function checkUrl(gate: Pick<UrlGate, 'check'>, url: string, param: string): void {
  try {
    gate.check(url);
  } catch (error) {
    if (error instanceof GateError)
      throw new ApiError('invalid_request', error.message, { param, cause: error });
    throw error;
  }
}

function readRoutes(app: FastifyInstance, { knowledge: service, blobs }: DocumentRoutesDeps): void {
  app.get<{ Params: BaseParams; Querystring: Static<typeof DocumentQuery> }>(
    '/v1/knowledgebases/:id/documents',
    {
      config: KNOWLEDGE_ACCESS,
      schema: {
        summary: 'List the documents of a knowledge base, newest first',
        tags,
        params: BaseParams,
        querystring: DocumentQuery,
        response: { 200: DocumentList },
      },
      handler: async (request) => {
        const { query, params } = request;
        await service.bases.get(request.tenantScope(), params.id);
        const rows = await service.documents.list(
          request.tenantScope(),
          params.id,
          query,
          query,
          pageStart(query),
        );
        const end = (row: KnowledgeDocumentRow) => ({ createdAt: Number(row.created_at), id: row.id });
        return pageOf(rows, query, end, documentView);
      },
    },
  );

  app.get<{ Params: DocumentParams }>('/v1/knowledgebases/:id/documents/:doc_id', {
    config: KNOWLEDGE_ACCESS,
    schema: { summary: 'Retrieve a document', tags, params: DocumentParams, response: { 200: Document } },
    handler: async (request) => {
      const { id, doc_id: document } = request.params;
      return documentView(await service.documents.get(request.tenantScope(), id, document));
    },
  });

  app.get<{ Params: DocumentParams }>('/v1/knowledgebases/:id/documents/:doc_id/text', {
    config: KNOWLEDGE_ACCESS,
    schema: {
      summary: 'Get the extracted text of a document, in which `span` offsets are counted',
      tags,
      params: DocumentParams,
      response: {
        200: {
          description: 'The extracted text.',
          content: { 'text/plain': { schema: { type: 'string' } } },
        },
      },
    },
    handler: async (request, reply) => {
      const { id, doc_id: document } = request.params;
      await service.documents.get(request.tenantScope(), id, document);
      const blob = await blobs.get(documentTextKey(document));
      if (blob === null) throw new ApiError('not_found', 'The document has no text yet.');
      return reply.type('text/plain; charset=utf-8').send(blob.stream);
    },
  });
}

function changeRoutes(app: FastifyInstance, { knowledge: service }: DocumentRoutesDeps): void {
  app.post<{ Params: DocumentParams }>('/v1/knowledgebases/:id/documents/:doc_id/refresh', {
    config: KNOWLEDGE_ACCESS,
    schema: {
      summary: 'Refresh a document: fetch its URL again, or index its file or text again',
      tags,
      params: DocumentParams,
      response: { 202: Document },
    },
    handler: async (request, reply) => {
      const { id, doc_id: document } = request.params;
      return reply
        .code(202)
        .send(documentView(await service.documents.refresh(request.tenantScope(), id, document)));
    },
  });

  app.delete<{ Params: DocumentParams }>('/v1/knowledgebases/:id/documents/:doc_id', {
    config: KNOWLEDGE_ACCESS,
    schema: {
      summary: 'Delete a document with its file, text and passages',
      tags,
      params: DocumentParams,
      response: { 200: Deleted },
    },
    handler: async (request) => {
      const { id, doc_id: document } = request.params;
      await service.documents.remove(request.tenantScope(), id, document);
      return { id: document, object: 'knowledge.document' as const, deleted: true as const };
    },
  });
}
