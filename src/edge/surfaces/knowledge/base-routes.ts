import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import type { KnowledgeService } from '../../../conversation/knowledge/index.ts';
import { PageQuery, pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import {
  Base,
  BaseChange,
  BaseList,
  BaseParams,
  Defaults,
  DefaultsBody,
  Deleted,
  GapList,
  NewBase,
  QueryAnswer,
  QueryBody,
} from './schemas.ts';
import { baseView, gapView, passageView } from './views.ts';

export const KNOWLEDGE_ACCESS = { access: { kind: 'key', scope: 'kb:manage' } } as const;
const BIND_ACCESS = { access: { kind: 'key', scope: 'omni:session' } } as const;
export const tags = ['Knowledge'];

export function baseRoutes(app: FastifyInstance, service: KnowledgeService): void {
  collectionRoutes(app, service);
  defaultRoutes(app, service);
  itemRoutes(app, service);
  gapRoutes(app, service);

  app.post<{ Params: BaseParams; Body: Static<typeof QueryBody> }>('/v1/knowledgebases/:id/query', {
    config: KNOWLEDGE_ACCESS,
    schema: {
      summary: 'Search a knowledge base',
      description: 'Searches by keywords and, in English, by meaning. Duplicate passages are returned once.',
      tags,
      params: BaseParams,
      body: QueryBody,
      response: { 200: QueryAnswer },
    },
    handler: async (request) => {
      const { query, top_k: most = 5 } = request.body;
      const base = await service.bases.get(request.tenantScope(), request.params.id);
      const asked = { question: query, most, onlyAbout: false };
      const passages = await service.search.find(request.tenantScope(), [base], asked, request.gone);
      return { object: 'knowledge.query' as const, query, passages: passages.map(passageView) };
    },
  });
}

function gapRoutes(app: FastifyInstance, service: KnowledgeService): void {
  app.get<{ Params: BaseParams; Querystring: PageQuery }>('/v1/knowledgebases/:id/gaps', {
    config: KNOWLEDGE_ACCESS,
    schema: {
      summary: 'List caller questions that the knowledge base could not answer, newest first',
      tags,
      params: BaseParams,
      querystring: PageQuery,
      response: { 200: GapList },
    },
    handler: async (request) => {
      const { params, query } = request;
      await service.bases.get(request.tenantScope(), params.id);
      const rows = await service.gaps.list(request.tenantScope(), params.id, query, pageStart(query));
      const end = (row: { created_at: number; id: string }) => ({
        createdAt: Number(row.created_at),
        id: row.id,
      });
      return pageOf(rows, query, end, gapView);
    },
  });
}

function collectionRoutes(app: FastifyInstance, service: KnowledgeService): void {
  app.post<{ Body: Static<typeof NewBase> }>('/v1/knowledgebases', {
    config: { ...KNOWLEDGE_ACCESS, idempotent: 'optional', errors: ['knowledge_full'] },
    schema: { summary: 'Create a knowledge base', tags, body: NewBase, response: { 201: Base } },
    handler: async (request, reply) => {
      const { name, description = null, language = 'en' } = request.body;
      const made = await request.once(async (keep) =>
        baseView(
          await service.bases.create(
            request.tenantScope(),
            { name, description, language },
            (transaction, base) => keep(transaction, baseView(base)),
          ),
        ),
      );
      return reply.code(201).send(made);
    },
  });

  app.get<{ Querystring: PageQuery }>('/v1/knowledgebases', {
    config: KNOWLEDGE_ACCESS,
    schema: {
      summary: 'List knowledge bases, newest first',
      tags,
      querystring: PageQuery,
      response: { 200: BaseList },
    },
    handler: async (request) => {
      const rows = await service.bases.list(request.tenantScope(), request.query, pageStart(request.query));
      const end = (row: { created_at: number; id: string }) => ({
        createdAt: Number(row.created_at),
        id: row.id,
      });
      return pageOf(rows, request.query, end, baseView);
    },
  });
}

function defaultRoutes(app: FastifyInstance, service: KnowledgeService): void {
  const view = (ids: string[]) => ({ object: 'knowledge.defaults' as const, knowledge_base_ids: ids });

  app.get('/v1/knowledgebases/defaults', {
    config: BIND_ACCESS,
    schema: { summary: 'Get the default knowledge bases', tags, response: { 200: Defaults } },
    handler: async (request) => view(await service.bases.defaults(request.tenantScope())),
  });

  app.put<{ Body: Static<typeof DefaultsBody> }>('/v1/knowledgebases/defaults', {
    config: { ...BIND_ACCESS, errors: ['not_found'] },
    schema: {
      summary: 'Set the default knowledge bases, for calls whose agent has none of its own',
      tags,
      body: DefaultsBody,
      response: { 200: Defaults },
    },
    handler: async (request) =>
      view(await service.bases.setDefaults(request.tenantScope(), request.body.knowledge_base_ids)),
  });
}

function itemRoutes(app: FastifyInstance, service: KnowledgeService): void {
  app.get<{ Params: BaseParams }>('/v1/knowledgebases/:id', {
    config: KNOWLEDGE_ACCESS,
    schema: { summary: 'Retrieve a knowledge base', tags, params: BaseParams, response: { 200: Base } },
    handler: async (request) => baseView(await service.bases.get(request.tenantScope(), request.params.id)),
  });

  app.patch<{ Params: BaseParams; Body: Static<typeof BaseChange> }>('/v1/knowledgebases/:id', {
    config: KNOWLEDGE_ACCESS,
    schema: {
      summary: 'Update the name or description of a knowledge base',
      tags,
      params: BaseParams,
      body: BaseChange,
      response: { 200: Base },
    },
    handler: async (request) =>
      baseView(await service.bases.change(request.tenantScope(), request.params.id, request.body)),
  });

  app.delete<{ Params: BaseParams }>('/v1/knowledgebases/:id', {
    config: KNOWLEDGE_ACCESS,
    schema: {
      summary: 'Delete a knowledge base and all its documents',
      tags,
      params: BaseParams,
      response: { 200: Deleted },
    },
    handler: async (request) => {
      const base = await service.bases.get(request.tenantScope(), request.params.id);
      await service.documents.removeBase(request.tenantScope(), base);
      service.vectorCache.forget(base.id);
      return { id: base.id, object: 'knowledge_base' as const, deleted: true as const };
    },
  });
}
