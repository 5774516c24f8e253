import type { TenantScope } from '../../../foundation/access/contract.ts';
import { tenantScopeOfRow } from '../../../foundation/access/index.ts';
import {
  type DeadJob,
  JOB_PRIORITY,
  type JobQueue,
  PermanentError,
  type RunningJob,
  type Trx,
} from '../../../foundation/jobs/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { ApiError, NoSuchError } from '../../../foundation/platform/errors.ts';
import { isId, newId } from '../../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../../foundation/platform/pages.ts';
import { type Blobs, newestFirst, type Storage, withinTenant } from '../../../foundation/storage/index.ts';
import type { KnowledgeCrawlRow } from '../../../foundation/storage/tables/knowledge.ts';
import type { Webhooks } from '../../../foundation/webhooks/index.ts';
import { UnreadableDocument } from '../../../language/documents/index.ts';
import type { SiteReader } from '../fetching/site-reader.ts';
import type { KnowledgeDocuments } from '../knowledge-documents.ts';
import { completeCrawl, countDocumentsByStatus, PENDING_STATUSES } from './crawl-completion.ts';
import { setState } from './crawl-state.ts';
import { CrawlVisit } from './crawl-visit.ts';

export const CRAWL_QUEUE = 'knowledge.crawls';

export interface NewCrawl {
  readonly url: string;
  readonly maxPages: number;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly refreshHours: number | null;
  readonly createdBy: string | null;
}

export interface CountedCrawl extends KnowledgeCrawlRow {
  readonly documents: Readonly<Record<string, number>>;
}

export interface CrawlsDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly queue: JobQueue;
  readonly documents: KnowledgeDocuments;
  readonly site: SiteReader;
  readonly webhooks: Pick<Webhooks, 'publish'>;
}

interface CrawlJob {
  readonly org_id: string;
  readonly project_id: string;
  readonly environment: TenantScope['environment'];
}

export class Crawls {
  readonly #deps: CrawlsDeps;

  constructor(deps: CrawlsDeps) {
    this.#deps = deps;
  }

  async add(
    scope: TenantScope,
    base: string,
    crawl: NewCrawl,
    keep: (transaction: Trx, row: CountedCrawl) => Promise<void>,
  ): Promise<CountedCrawl> {
    const { storage, clock, queue } = this.#deps;
    const now = clock.now();
    const id = newId('crawl');
    return await storage.transaction(async (transaction) => {
      const row = await withinTenant(transaction, scope)
        .insertInto('knowledge_crawls', {
          id,
          base_id: base,
          url: crawl.url,
          max_pages: crawl.maxPages,
          include: JSON.stringify(crawl.include),
          exclude: JSON.stringify(crawl.exclude),
          refresh_hours: crawl.refreshHours,
          status: 'queued',
          discovered: 0,
          registered: 0,
          created_by: crawl.createdBy,
          created_at: now,
          updated_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      const payload: CrawlJob = {
        org_id: scope.org,
        project_id: scope.project,
        environment: scope.environment,
      };
      const tenant = `${scope.org} ${base}`;
      await queue.enqueue(transaction, {
        id,
        queue: CRAWL_QUEUE,
        tenant,
        payload,
        priority: JOB_PRIORITY.normal,
      });
      const counted = { ...row, documents: {} };
      await keep(transaction, counted);
      return counted;
    });
  }

  async get(scope: TenantScope, base: string, id: string): Promise<CountedCrawl> {
    const row = isId('crawl', id)
      ? await withinTenant(this.#deps.storage.db, scope)
          .selectFrom('knowledge_crawls')
          .selectAll()
          .where('id', '=', id)
          .where('base_id', '=', base)
          .executeTakeFirst()
      : undefined;
    if (row === undefined) throw new NoSuchError('crawl of this knowledge base');
    return await this.#counted(scope, row);
  }

  async list(
    scope: TenantScope,
    base: string,
    query: PageQuery & { readonly status?: string | undefined },
    start: PageEnd | null,
  ): Promise<CountedCrawl[]> {
    const all = withinTenant(this.#deps.storage.db, scope)
      .selectFrom('knowledge_crawls')
      .selectAll()
      .where('base_id', '=', base);
    const select = query.status === undefined ? all : all.where('status', '=', query.status);
    const rows = await newestFirst(select, query, start).execute();
    return await Promise.all(rows.map((row) => this.#counted(scope, row)));
  }

  async run(job: RunningJob, signal: AbortSignal): Promise<void> {
    const scope = tenantScopeOfRow(job.payload as CrawlJob);
    const row = await withinTenant(this.#deps.storage.db, scope)
      .selectFrom('knowledge_crawls')
      .selectAll()
      .where('id', '=', job.id)
      .executeTakeFirst();
    if (row === undefined) return await job.complete(async () => {});
    const visit = new CrawlVisit(this.#deps, scope, row, job, signal);
    try {
      const found = await visit.discover();
      await job.complete(async (transaction) => {
        await setState(transaction, scope, row.id, { status: 'fetching', ...found });
        await this.#settle(transaction, scope, row.id);
      });
    } catch (error) {
      if (error instanceof UnreadableDocument || error instanceof ApiError)
        throw new PermanentError(error.message, { cause: error });
      throw error;
    }
  }

  async died(transaction: Trx, { id, payload, reason }: DeadJob): Promise<void> {
    await setState(transaction, tenantScopeOfRow(payload as CrawlJob), id, {
      status: 'failed',
      error: reason,
    });
  }

  #settle(transaction: Trx, scope: TenantScope, id: string): Promise<void> {
    const { webhooks, clock } = this.#deps;
    return completeCrawl(transaction, scope, id, { webhooks, now: clock.now() });
  }

  async #counted(scope: TenantScope, row: KnowledgeCrawlRow): Promise<CountedCrawl> {
    const documents = await countDocumentsByStatus(this.#deps.storage.db, scope, row.id);
    const settled = row.status === 'fetching' && !PENDING_STATUSES.some((status) => documents[status]);
    return { ...row, documents, status: settled ? 'indexed' : row.status };
  }
}
