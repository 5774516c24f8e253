import type { TenantScope } from '../../foundation/access/contract.ts';
import { tenantScopeOfRow } from '../../foundation/access/index.ts';
import { type DeadJob, PermanentError, type RunningJob, type Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { type Blobs, payerOf, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { KnowledgeBaseRow, KnowledgeDocumentRow } from '../../foundation/storage/tables/knowledge.ts';
import type { Webhooks } from '../../foundation/webhooks/index.ts';
import {
  detectFormat,
  formatFromName,
  MEDIA_TYPES,
  UnreadableDocument,
} from '../../language/documents/index.ts';
import { quantised } from '../../language/retrieval/index.ts';
import { chunkDocument, type DocumentChunks } from './chunking/chunking-process.ts';
import type { DocumentState, Embedding, EmbeddingModel } from './contract.ts';
import { completeCrawl } from './crawling/crawl-completion.ts';
import { sha256 } from './fetching/digest.ts';
import { type FetchedPage, type PageFetcher, PageUnavailable } from './fetching/page-fetcher.ts';
import { addChunks, clearChunks, type Generation, publishTerms } from './index-store.ts';
import { type DocumentJob, documentSourceKey, documentTextKey } from './knowledge-documents.ts';
import { knowledgeLimitsOf, limitReached } from './limits.ts';
import type { PageOcr } from './page-ocr.ts';
import type { PhoneticMatcher } from './phonetics/phonetic-matcher.ts';
import type { WordIndex } from './ranking/word-index.ts';

/** A passage's vector includes its heading. */
export const embeddedText = (
  title: string,
  { heading, text }: { readonly heading: string; readonly text: string },
): string => `${heading === '' ? title : heading}: ${text}`;

export interface IndexingDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly words: WordIndex;
  readonly embedding: Embedding;
  readonly sounds: PhoneticMatcher;
  readonly pages: PageFetcher;
  readonly scans: PageOcr | null;
  readonly webhooks: Pick<Webhooks, 'publish'>;
}

interface IndexedDocument {
  readonly scope: TenantScope;
  readonly row: KnowledgeDocumentRow;
  readonly base: KnowledgeBaseRow;
}

const HOUR_MS = 3600 * 1000;
const ADDED_AT_ONCE = 16;

export class IndexingRun {
  readonly #deps: IndexingDeps;

  constructor(deps: IndexingDeps) {
    this.#deps = deps;
  }

  async run(job: RunningJob, signal: AbortSignal): Promise<void> {
    const subject = await this.#subjectOf(job);
    if (subject === null) return await job.complete(async () => {});
    try {
      // An interrupted attempt may have left rows.
      await this.#clear(job, subject, Number(subject.row.generation));
      const content = await this.#content(subject, signal);
      if (content === null) return await this.#settle(job, subject, {});
      const hash = await sha256(content.bytes);
      const seen = {
        ...content.seen,
        fetched_at: content.seen === undefined ? null : this.#deps.clock.now(),
        bytes: content.bytes.byteLength,
      };
      if (hash === subject.row.content_hash) return await this.#settle(job, subject, seen);
      await this.#state(subject, 'processing');
      await this.#index(job, subject, content, { ...seen, content_hash: hash }, signal);
    } catch (error) {
      if (!(error instanceof UnreadableDocument)) throw error;
      // A document with a refresh interval may succeed the next time.
      if (subject.row.refresh_hours !== null) return await this.#failed(job, subject, error.message);
      throw new PermanentError(error.message, { cause: error });
    }
  }

  /** Runs in the transaction that gives the job up. The last indexed content stays searchable. */
  async died(transaction: Trx, job: DeadJob): Promise<void> {
    const scope = tenantScopeOfRow(job.payload as DocumentJob);
    const row = await withinTenant(transaction, scope)
      .updateTable('knowledge_documents')
      .set({ status: 'failed', error: reasonOf(job), updated_at: this.#deps.clock.now() })
      .where('id', '=', job.id)
      .returning('crawl_id')
      .executeTakeFirst();
    if (row !== undefined) await this.#settleCrawl(transaction, scope, row);
  }

  async #settleCrawl(
    transaction: Trx,
    scope: TenantScope,
    { crawl_id: crawl }: Pick<KnowledgeDocumentRow, 'crawl_id'>,
  ): Promise<void> {
    const { webhooks, clock } = this.#deps;
    if (crawl !== null) await completeCrawl(transaction, scope, crawl, { webhooks, now: clock.now() });
  }

  async #subjectOf(job: RunningJob): Promise<IndexedDocument | null> {
    const scope = tenantScopeOfRow(job.payload as DocumentJob);
    const mine = withinTenant(this.#deps.storage.db, scope);
    const row = await mine
      .selectFrom('knowledge_documents')
      .selectAll()
      .where('id', '=', job.id)
      .executeTakeFirst();
    if (row === undefined) return null;
    const base = await mine
      .selectFrom('knowledge_bases')
      .selectAll()
      .where('id', '=', row.base_id)
      .executeTakeFirst();
    return base === undefined ? null : { scope, row, base };
  }

  /** Returns null where the content has not changed since it was indexed. */
  async #content(subject: IndexedDocument, signal: AbortSignal): Promise<FetchedPage | null> {
    const { row, scope } = subject;
    if (row.source !== 'url' || row.url === null) {
      return { bytes: await this.#stored(row), type: row.media_type, name: row.file_name ?? '' };
    }
    const fetched = await this.#crawled(row);
    if (fetched !== null) return fetched;
    await this.#state(subject, 'fetching');
    const maxBytes = knowledgeLimitsOf(scope.environment).fileBytes;
    const known = row.content_hash === null ? {} : { etag: row.etag, lastModified: row.last_modified };
    return await this.#deps.pages.fetch(row.url, { ...known, maxBytes, signal });
  }

  async #crawled(row: KnowledgeDocumentRow): Promise<FetchedPage | null> {
    if (row.crawl_id === null || row.content_hash !== null || row.url === null) return null;
    if ((await this.#deps.blobs.stat(documentSourceKey(row.id))) === null) return null;
    const bytes = await this.#stored(row);
    await this.#deps.blobs.delete(documentSourceKey(row.id));
    const name = new URL(row.url).pathname.split('/').at(-1) ?? '';
    return { bytes, type: row.media_type, name, seen: { etag: row.etag, last_modified: row.last_modified } };
  }

  async #stored(row: KnowledgeDocumentRow): Promise<Buffer> {
    const blob = await this.#deps.blobs.get(documentSourceKey(row.id));
    if (blob === null) throw new UnreadableDocument('The content of the document is no longer available.');
    const parts: Buffer[] = [];
    for await (const part of blob.stream) parts.push(part as Buffer);
    return Buffer.concat(parts);
  }

  async #index(
    job: RunningJob,
    subject: IndexedDocument,
    { bytes, type, name }: FetchedPage,
    seen: Partial<KnowledgeDocumentRow>,
    signal: AbortSignal,
  ): Promise<void> {
    const { row, base, scope } = subject;
    const kind = detectFormat(bytes, formatFromName(name, type));
    if (kind.kind === 'foreign') throw new UnreadableDocument(`The document is ${kind.what}.`);
    const order = {
      bytes,
      format: kind.format,
      language: base.language,
      title: row.title_given === 1 ? row.title : null,
      name: row.title,
      scans: this.#deps.scans?.of(base.language) ?? null,
      expect: (chunks: number) => this.#checkChunkLimit(subject, chunks),
      onScanned: (share: number) => job.checkpoint(share, async () => {}),
    };
    const chunked = await chunkDocument(order, signal);
    const terms = await this.#deps.sounds.pronounceTerms(chunked.words, base.language);
    await this.#keep(subject, chunked.text, signal);
    const made: Generation = {
      scope,
      base: base.id,
      document: row.id,
      generation: Number(row.generation) + 1,
    };
    // The operator may select another model while the document is indexed.
    const model = this.#deps.embedding.modelFor(base.language);
    const embedded = await this.#add(job, made, chunked, { base, model }, signal);
    await job.checkpoint(1, async (transaction) => {
      await publishTerms(transaction, made, terms);
      await withinTenant(transaction, scope)
        .updateTable('knowledge_documents')
        .set({
          ...seen,
          media_type: MEDIA_TYPES[kind.format],
          title: chunked.title,
          chunks: chunked.chunks.length,
          characters: chunked.characters,
          indexed_at: this.#deps.clock.now(),
          generation: made.generation,
          vector_model: embedded ? model.name : null,
        })
        .where('id', '=', row.id)
        .execute();
    });
    await this.#clear(job, subject, made.generation);
    await this.#settle(job, subject, {});
  }

  /** The number of passages is known only after parsing, so the limit is checked before embedding. */
  async #checkChunkLimit({ scope, row }: IndexedDocument, chunks: number): Promise<void> {
    const others = await withinTenant(this.#deps.storage.db, scope)
      .selectFrom('knowledge_documents')
      .select((eb) => eb.fn.sum<number>('chunks').as('chunks'))
      .where('id', '!=', row.id)
      .executeTakeFirst();
    const most = knowledgeLimitsOf(scope.environment).chunks;
    if (Number(others?.chunks ?? 0) + chunks > most)
      throw new UnreadableDocument(limitReached('passages', most, scope.environment).message);
  }

  /**
   * Stores the text whose characters the passages' offsets count. An organization whose quota is used up gets
   * an error.
   */
  async #keep({ row, scope }: IndexedDocument, text: readonly Buffer[], signal: AbortSignal): Promise<void> {
    const bytes = text.reduce((sum, part) => sum + part.length, 0);
    const payer = payerOf(scope, bytes);
    try {
      await this.#deps.blobs.put(documentTextKey(row.id), text, { signal, payer });
    } catch (error) {
      throw error instanceof ApiError ? new UnreadableDocument(error.message, { cause: error }) : error;
    }
  }

  /**
   * Embeds and stores the passages in batches, so that other work can run in between. Resolves with true where all
   * have vectors.
   */
  async #add(
    job: RunningJob,
    made: Generation,
    { title, chunks }: DocumentChunks,
    { base, model }: { readonly base: KnowledgeBaseRow; readonly model: EmbeddingModel },
    signal: AbortSignal,
  ): Promise<boolean> {
    let embedded = true;
    for (let at = 0; at < chunks.length; at += ADDED_AT_ONCE) {
      const some = chunks.slice(at, at + ADDED_AT_ONCE);
      const texts = some.map((chunk) => embeddedText(title, chunk));
      const vectors = (await this.#deps.embedding.passages(texts, model, base, signal)).map(quantised);
      signal.throwIfAborted();
      embedded &&= vectors.length === texts.length;
      const indexed = some.map((chunk, of) => ({
        ...chunk,
        ordinal: at + of,
        vector: vectors[of] ?? null,
      }));
      await job.checkpoint(at / chunks.length, (transaction) =>
        addChunks(transaction, this.#deps.words, made, indexed),
      );
    }
    return embedded;
  }

  #clear(job: RunningJob, { scope, row }: IndexedDocument, stored: number): Promise<void> {
    const { storage } = this.#deps;
    return clearChunks(storage, (write) => job.checkpoint(1, write), {
      scope,
      document: row.id,
      blobBytes: stored,
    });
  }

  async #state({ scope, row }: IndexedDocument, status: DocumentState): Promise<void> {
    await withinTenant(this.#deps.storage.db, scope)
      .updateTable('knowledge_documents')
      .set({ status, updated_at: this.#deps.clock.now() })
      .where('id', '=', row.id)
      .execute();
  }

  async #failed(job: RunningJob, { scope, row }: IndexedDocument, error: string): Promise<void> {
    const now = this.#deps.clock.now();
    await job.postpone(now + Number(row.refresh_hours) * HOUR_MS, async (transaction) => {
      await withinTenant(transaction, scope)
        .updateTable('knowledge_documents')
        .set({ status: 'failed', error, updated_at: now })
        .where('id', '=', row.id)
        .execute();
      await this.#settleCrawl(transaction, scope, row);
    });
  }

  /** A document with a refresh interval keeps its job, which waits until then. */
  async #settle(
    job: RunningJob,
    { scope, row }: IndexedDocument,
    change: Partial<KnowledgeDocumentRow>,
  ): Promise<void> {
    const now = this.#deps.clock.now();
    const write = async (transaction: Trx) => {
      await withinTenant(transaction, scope)
        .updateTable('knowledge_documents')
        .set({ ...change, status: 'indexed', error: null, updated_at: now })
        .where('id', '=', row.id)
        .execute();
      await this.#settleCrawl(transaction, scope, row);
    };
    if (row.refresh_hours === null) await job.complete(write);
    else await job.postpone(now + Number(row.refresh_hours) * HOUR_MS, write);
  }
}

/** The customer sees a permanent error's message; an internal error stays in the log. */
const reasonOf = ({ cause, reason }: DeadJob): string =>
  cause instanceof PermanentError || cause instanceof PageUnavailable
    ? reason
    : 'The document could not be indexed. Try again later.';
