import type { TenantScope } from '../../foundation/access/contract.ts';
import { JOB_PRIORITY, type JobQueue, type Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { NoSuchError } from '../../foundation/platform/errors.ts';
import { isId, newId } from '../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { type Blobs, newestFirst, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { KnowledgeBaseRow, KnowledgeDocumentRow } from '../../foundation/storage/tables/knowledge.ts';
import type { Webhooks } from '../../foundation/webhooks/index.ts';
import type { DocumentSource } from './contract.ts';
import { completeCrawl } from './crawling/crawl-completion.ts';
import type { FetchedPage } from './fetching/page-fetcher.ts';
import { clearChunks, touch } from './index-store.ts';
import { knowledgeLimitsOf, limitReached } from './limits.ts';

export const DOCUMENT_QUEUE = 'knowledge.documents';
export const DOCUMENT_BLOB_AREA = 'knowledge';

export const documentSourceKey = (document: string) => ({
  area: DOCUMENT_BLOB_AREA,
  owner: document,
  name: 'source',
});
export const documentTextKey = (document: string) => ({
  area: DOCUMENT_BLOB_AREA,
  owner: document,
  name: 'text',
});

export interface NewDocument {
  readonly id: string;
  readonly source: DocumentSource;
  readonly title: string | null;
  readonly fileName?: string;
  readonly url?: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly refreshHours?: number | null;
  readonly crawl?: string;
  readonly seen?: NonNullable<FetchedPage['seen']>;
}

export interface RefreshedDocument extends Pick<NewDocument, 'mediaType' | 'bytes' | 'seen'> {
  readonly crawl: string;
  readonly refreshHours: number | null;
  readonly isChanged: boolean;
}

/** A document's job holds only this; it reads the rest when it runs. */
export interface DocumentJob {
  readonly document: string;
  readonly org_id: string;
  readonly project_id: string;
  readonly environment: TenantScope['environment'];
}

const REMOVED = -1;

export const newDocumentId = (): string => newId('doc');

export interface DocumentsDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly queue: JobQueue;
  readonly webhooks: Pick<Webhooks, 'publish'>;
}

export class KnowledgeDocuments {
  readonly #deps: DocumentsDeps;

  constructor(deps: DocumentsDeps) {
    this.#deps = deps;
  }

  /** Writes the row and its job in one transaction. Throws ApiError where the project's limit is reached. */
  async add(
    scope: TenantScope,
    base: string,
    document: NewDocument,
    keep: (transaction: Trx, row: KnowledgeDocumentRow) => Promise<void>,
  ): Promise<KnowledgeDocumentRow> {
    return await this.#deps.storage.transaction(async (transaction) => {
      const row = await this.addIn(transaction, scope, base, document);
      await keep(transaction, row);
      return row;
    });
  }

  async addIn(
    transaction: Trx,
    scope: TenantScope,
    base: string,
    given: NewDocument,
  ): Promise<KnowledgeDocumentRow> {
    const mine = withinTenant(transaction, scope);
    await baseIn(transaction, scope, base);
    await this.#checkDocumentLimit(transaction, scope);
    const now = this.#deps.clock.now();
    const row = await mine
      .insertInto('knowledge_documents', {
        id: given.id,
        base_id: base,
        source: given.source,
        title: given.title ?? given.fileName ?? given.url ?? 'Untitled',
        title_given: given.title === null ? 0 : 1,
        file_name: given.fileName ?? null,
        url: given.url ?? null,
        media_type: given.mediaType,
        bytes: given.bytes,
        status: 'queued',
        refresh_hours: given.refreshHours ?? null,
        crawl_id: given.crawl ?? null,
        etag: given.seen?.etag ?? null,
        last_modified: given.seen?.last_modified ?? null,
        chunks: 0,
        characters: 0,
        generation: 0,
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await this.#deps.queue.enqueue(transaction, documentJobOf(scope, row));
    return row;
  }

  async get(scope: TenantScope, base: string, id: string): Promise<KnowledgeDocumentRow> {
    const row = isId('doc', id)
      ? await withinTenant(this.#deps.storage.db, scope)
          .selectFrom('knowledge_documents')
          .selectAll()
          .where('id', '=', id)
          .where('base_id', '=', base)
          .executeTakeFirst()
      : undefined;
    if (row === undefined) throw new NoSuchError('document in this knowledge base');
    return row;
  }

  async list(
    scope: TenantScope,
    base: string,
    filter: { readonly status?: string | undefined; readonly crawl_id?: string | undefined },
    query: PageQuery,
    start: PageEnd | null,
  ): Promise<KnowledgeDocumentRow[]> {
    let select = withinTenant(this.#deps.storage.db, scope)
      .selectFrom('knowledge_documents')
      .selectAll()
      .where('base_id', '=', base);
    if (filter.status !== undefined) select = select.where('status', '=', filter.status);
    if (filter.crawl_id !== undefined) select = select.where('crawl_id', '=', filter.crawl_id);
    return await newestFirst(select, query, start).execute();
  }

  /** Fetches the document again; searches find its previous content until then. */
  async refresh(scope: TenantScope, base: string, id: string): Promise<KnowledgeDocumentRow> {
    await this.get(scope, base, id);
    return await this.#deps.storage.transaction(async (transaction) => {
      const row = await withinTenant(transaction, scope)
        .updateTable('knowledge_documents')
        .set({ status: 'queued', error: null, etag: null, last_modified: null, content_hash: null })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      await this.#deps.queue.replace(transaction, documentJobOf(scope, row));
      return row;
    });
  }

  /**
   * A crawl has fetched the document again. With `isChanged`, its new bytes are stored and replace the indexed
   * content.
   */
  async reread(scope: TenantScope, id: string, read: RefreshedDocument): Promise<void> {
    const changed = {
      status: 'queued',
      error: null,
      content_hash: null,
      media_type: read.mediaType,
      bytes: read.bytes,
      etag: read.seen?.etag ?? null,
      last_modified: read.seen?.last_modified ?? null,
    };
    await this.#queueAgain(scope, id, read.isChanged, {
      crawl_id: read.crawl,
      ...(read.refreshHours === null ? {} : { refresh_hours: read.refreshHours }),
      ...(read.isChanged ? changed : {}),
    });
  }

  /** Queues a scheduled refresh now: unchanged content stays, and a page that is gone is reported. */
  async refetch(scope: TenantScope, id: string): Promise<void> {
    await this.#queueAgain(scope, id, true, { status: 'queued' });
  }

  async #queueAgain(
    scope: TenantScope,
    id: string,
    isQueued: boolean,
    change: Partial<KnowledgeDocumentRow>,
  ): Promise<void> {
    await this.#deps.storage.transaction(async (transaction) => {
      const row = await withinTenant(transaction, scope)
        .updateTable('knowledge_documents')
        .set(change)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (row !== undefined && isQueued)
        await this.#deps.queue.replace(transaction, documentJobOf(scope, row));
    });
  }

  async remove(scope: TenantScope, base: string, id: string): Promise<void> {
    const { crawl_id: crawl } = await this.get(scope, base, id);
    await this.#removeAll(scope, base, id, crawl);
    await this.#deps.storage.scrub();
  }

  async removeBase(scope: TenantScope, { id }: Pick<KnowledgeBaseRow, 'id'>): Promise<void> {
    const { storage, queue } = this.#deps;
    for (;;) {
      const rows = await withinTenant(storage.db, scope)
        .selectFrom('knowledge_documents')
        .select('id')
        .where('base_id', '=', id)
        .limit(100)
        .execute();
      if (rows.length === 0) break;
      for (const row of rows) await this.#removeAll(scope, id, row.id);
    }
    await storage.transaction(async (transaction) => {
      const mine = withinTenant(transaction, scope);
      const crawls = await mine
        .selectFrom('knowledge_crawls')
        .select('id')
        .where('base_id', '=', id)
        .execute();
      for (const crawl of crawls) await queue.cancel(transaction, crawl.id);
      for (const table of ['knowledge_crawls', 'knowledge_gaps', 'knowledge_terms'] as const)
        await mine.deleteFrom(table).where('base_id', '=', id).execute();
      await mine.deleteFrom('knowledge_bases').where('id', '=', id).execute();
    });
    await storage.scrub();
  }

  /**
   * The first transaction hides the document from searches; its row is deleted last, so that an interrupted removal
   * can be resumed.
   */
  async #removeAll(scope: TenantScope, base: string, id: string, crawl: string | null = null): Promise<void> {
    const { storage, blobs, queue, webhooks, clock } = this.#deps;
    const mine = { scope, document: id, blobBytes: null };
    await storage.transaction(async (transaction) => {
      await queue.cancel(transaction, id);
      await withinTenant(transaction, scope)
        .updateTable('knowledge_documents')
        .set({ generation: REMOVED, chunks: 0 })
        .where('id', '=', id)
        .execute();
      await withinTenant(transaction, scope)
        .deleteFrom('knowledge_terms')
        .where('document_id', '=', id)
        .execute();
      await touch(transaction, scope, base);
    });
    await clearChunks(storage, (write) => storage.transaction(write), mine);
    await storage.transaction(async (transaction) => {
      await withinTenant(transaction, scope).deleteFrom('knowledge_documents').where('id', '=', id).execute();
      // This may have been the last pending document of its crawl.
      if (crawl !== null) await completeCrawl(transaction, scope, crawl, { webhooks, now: clock.now() });
    });
    await blobs.deleteOwner(DOCUMENT_BLOB_AREA, id);
  }

  async #checkDocumentLimit(transaction: Trx, scope: TenantScope): Promise<void> {
    const sums = await withinTenant(transaction, scope)
      .selectFrom('knowledge_documents')
      .select((eb) => [eb.fn.countAll<number>().as('documents'), eb.fn.sum<number>('chunks').as('chunks')])
      .executeTakeFirstOrThrow();
    const limits = knowledgeLimitsOf(scope.environment);
    if (Number(sums.documents) >= limits.documents)
      throw limitReached('documents', limits.documents, scope.environment);
    if (Number(sums.chunks ?? 0) >= limits.chunks)
      throw limitReached('passages', limits.chunks, scope.environment);
  }
}

/** The base may have been deleted since the request was checked. */
async function baseIn(transaction: Trx, scope: TenantScope, id: string): Promise<void> {
  const row = await withinTenant(transaction, scope)
    .selectFrom('knowledge_bases')
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw new NoSuchError('knowledge base');
}

export const documentJobOf = (scope: TenantScope, { id, base_id: base }: KnowledgeDocumentRow) => ({
  id,
  queue: DOCUMENT_QUEUE,
  tenant: `${scope.org} ${base}`,
  payload: {
    document: id,
    org_id: scope.org,
    project_id: scope.project,
    environment: scope.environment,
  } satisfies DocumentJob,
  priority: JOB_PRIORITY.normal,
});
