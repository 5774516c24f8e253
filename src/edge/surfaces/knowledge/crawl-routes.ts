import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { creatorColumn } from '../../../foundation/audit/index.ts';
import { pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import { KNOWLEDGE_ACCESS, tags } from './base-routes.ts';
import { checkUrl, type DocumentRoutesDeps } from './document-routes.ts';
import { BaseParams, Crawl, CrawlList, CrawlParams, CrawlQuery, NewCrawl } from './schemas.ts';
import { crawlView } from './views.ts';

const MAX_PAGES = 50;

export function crawlRoutes(app: FastifyInstance, { knowledge: service, gate }: DocumentRoutesDeps): void {
  app.post<{ Params: BaseParams; Body: Static<typeof NewCrawl> }>('/v1/knowledgebases/:id/crawls', {
    config: { ...KNOWLEDGE_ACCESS, idempotent: 'optional', errors: ['knowledge_full'] },
    schema: {
      summary: 'Crawl a public website and add its pages as documents',
      description:
        'Pages are found through the sitemap and through links of the same origin. The crawler honours robots.txt and sends at most one request per second. `include` and `exclude` are path patterns, such as `/docs/*`. Poll the crawl until its status is `indexed`.',
      tags,
      params: BaseParams,
      body: NewCrawl,
      response: { 201: Crawl },
    },
    handler: async (request, reply) => {
      const { url, max_pages: maxPages = MAX_PAGES, include = [], exclude = [] } = request.body;
      await service.bases.get(request.tenantScope(), request.params.id);
      checkUrl(gate, url, 'url');
      const refreshHours = request.body.refresh_hours ?? null;
      const createdBy = creatorColumn(request.doer());
      const crawl = { url, maxPages, include, exclude, refreshHours, createdBy };
      const made = await request.once(async (keep) =>
        crawlView(
          await service.crawls.add(request.tenantScope(), request.params.id, crawl, (transaction, row) =>
            keep(transaction, crawlView(row)),
          ),
        ),
      );
      return reply.code(201).send(made);
    },
  });

  app.get<{ Params: BaseParams; Querystring: CrawlQuery }>('/v1/knowledgebases/:id/crawls', {
    config: KNOWLEDGE_ACCESS,
    schema: {
      summary: 'List the crawls of a knowledge base, newest first',
      tags,
      params: BaseParams,
      querystring: CrawlQuery,
      response: { 200: CrawlList },
    },
    handler: async (request) => {
      const { params, query } = request;
      await service.bases.get(request.tenantScope(), params.id);
      const rows = await service.crawls.list(request.tenantScope(), params.id, query, pageStart(query));
      const end = (row: { created_at: number; id: string }) => ({
        createdAt: Number(row.created_at),
        id: row.id,
      });
      return pageOf(rows, query, end, crawlView);
    },
  });

  app.get<{ Params: Static<typeof CrawlParams> }>('/v1/knowledgebases/:id/crawls/:crawl_id', {
    config: KNOWLEDGE_ACCESS,
    schema: { summary: 'Retrieve a crawl', tags, params: CrawlParams, response: { 200: Crawl } },
    handler: async (request) => {
      const { id, crawl_id: crawl } = request.params;
      return crawlView(await service.crawls.get(request.tenantScope(), id, crawl));
    },
  });
}
