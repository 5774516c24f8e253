import { createHash } from 'node:crypto';
import type { Reach } from '../../access/contract.ts';
import { reachOfRow } from '../../access/index.ts';
import { formatNamed, parseApart, sniffed, Unreadable } from '../../documents/index.ts';
import {
  type DeadJob,
  type JobQueue,
  PermanentError,
  PRIORITY,
  type RunningJob,
  type Trx,
} from '../../jobs/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import type { PageEnd, PageQuery } from '../../platform/pages.ts';
import { type Blobs, newestFirst, payerOf, type Storage, within } from '../../storage/index.ts';
import type { KnowledgeCrawlRow } from '../../storage/tables/knowledge.ts';
import type { CrawlState } from '../contract.ts';
import { type Documents, newDocumentId, sourceKey } from '../documents.ts';
import type { Fetched } from '../fetching/page-fetcher.ts';
import type { SiteReader } from '../fetching/site-reader.ts';
import { limitsOf } from '../limits.ts';
import { Frontier, locationsOf, pageUrl, type Scope } from './discover.ts';

export const CRAWL_QUEUE = 'knowledge.crawls';

export interface NewCrawl {
  readonly url: string;
  readonly maxPages: number;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly refreshHours: number | null;
}

/** A crawl with its documents, by their status. */
export interface CountedCrawl extends KnowledgeCrawlRow {
  readonly documents: Readonly<Record<string, number>>;
}

export interface CrawlsDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly queue: JobQueue;
  readonly documents: Documents;
  readonly site: SiteReader;
}

interface CrawlJob {
  readonly org_id: string;
  readonly project_id: string;
  readonly environment: Reach['environment'];
}

const SITE_MAP_BYTES = 10 * 1024 * 1024;
const MOST_SITE_MAPS = 10;
const UNSETTLED = ['queued', 'fetching', 'processing'];

/** Crawls of public sites: what they find becomes documents. */
export class Crawls {
  readonly #deps: CrawlsDeps;

  constructor(deps: CrawlsDeps) {
    this.#deps = deps;
  }

  async add(
    reach: Reach,
    base: string,
    crawl: NewCrawl,
    keep: (transaction: Trx, row: CountedCrawl) => Promise<void>,
  ): Promise<CountedCrawl> {
    const { storage, clock, queue } = this.#deps;
    const now = clock.now();
    const id = newId('crawl');
    return await storage.transaction(async (transaction) => {
      const row = await within(transaction, reach)
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
          created_at: now,
          updated_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      const payload: CrawlJob = {
        org_id: reach.org,
        project_id: reach.project,
        environment: reach.environment,
      };
      const tenant = `${reach.org} ${base}`;
      await queue.enqueue(transaction, {
        id,
        queue: CRAWL_QUEUE,
        tenant,
        payload,
        priority: PRIORITY.normal,
      });
      const counted = { ...row, documents: {} };
      await keep(transaction, counted);
      return counted;
    });
  }

  /** Throws ApiError `not_found`. */
  async get(reach: Reach, base: string, id: string): Promise<CountedCrawl> {
    const row = isId('crawl', id)
      ? await within(this.#deps.storage.db, reach)
          .selectFrom('knowledge_crawls')
          .selectAll()
          .where('id', '=', id)
          .where('base_id', '=', base)
          .executeTakeFirst()
      : undefined;
    if (row === undefined) throw new ApiError('not_found', 'There is no such crawl of this knowledge base.');
    return await this.#counted(reach, row);
  }

  async list(reach: Reach, base: string, query: PageQuery, start: PageEnd | null): Promise<CountedCrawl[]> {
    const select = within(this.#deps.storage.db, reach)
      .selectFrom('knowledge_crawls')
      .selectAll()
      .where('base_id', '=', base);
    const rows = await newestFirst(select, query, start).execute();
    return await Promise.all(rows.map((row) => this.#counted(reach, row)));
  }

  async run(job: RunningJob, signal: AbortSignal): Promise<void> {
    const reach = reachOfRow(job.payload as CrawlJob);
    const row = await within(this.#deps.storage.db, reach)
      .selectFrom('knowledge_crawls')
      .selectAll()
      .where('id', '=', job.id)
      .executeTakeFirst();
    if (row === undefined) return await job.complete(async () => {});
    const visit = new Visit(this.#deps, reach, row, job, signal);
    try {
      const found = await visit.discover();
      await job.complete((transaction) =>
        setState(transaction, reach, row.id, { status: 'fetching', ...found }),
      );
    } catch (error) {
      if (error instanceof Unreadable || error instanceof ApiError)
        throw new PermanentError(error.message, { cause: error });
      throw error;
    }
  }

  async died(transaction: Trx, { id, payload, reason }: DeadJob): Promise<void> {
    await setState(transaction, reachOfRow(payload as CrawlJob), id, { status: 'failed', error: reason });
  }

  /** All pages are registered: it is indexed once none of their documents is on its way any more. */
  async #counted(reach: Reach, row: KnowledgeCrawlRow): Promise<CountedCrawl> {
    const sums = await within(this.#deps.storage.db, reach)
      .selectFrom('knowledge_documents')
      .select('status')
      .select((eb) => eb.fn.countAll<number>().as('documents'))
      .where('crawl_id', '=', row.id)
      .groupBy('status')
      .execute();
    const documents = Object.fromEntries(sums.map((sum) => [sum.status, Number(sum.documents)]));
    const settled = row.status === 'fetching' && !UNSETTLED.some((status) => documents[status]);
    return { ...row, documents, status: settled ? 'indexed' : row.status };
  }
}

type CrawlChange = Partial<Pick<KnowledgeCrawlRow, 'error' | 'discovered' | 'registered'>> & {
  readonly status: CrawlState;
};

const setState = async (db: Parameters<typeof within>[0], reach: Reach, id: string, change: CrawlChange) => {
  await within(db, reach).updateTable('knowledge_crawls').set(change).where('id', '=', id).execute();
};

/** One walk through a site. */
class Visit {
  readonly #deps: CrawlsDeps;
  readonly #reach: Reach;
  readonly #row: KnowledgeCrawlRow;
  readonly #job: RunningJob;
  readonly #signal: AbortSignal;
  readonly #scope: Scope;
  /** Of texts that are registered: the same under another address is no second document. */
  readonly #texts = new Set<string>();
  #registered = 0;

  constructor(deps: CrawlsDeps, reach: Reach, row: KnowledgeCrawlRow, job: RunningJob, signal: AbortSignal) {
    this.#deps = deps;
    this.#reach = reach;
    this.#row = row;
    this.#job = job;
    this.#signal = signal;
    const [include, exclude] = [row.include, row.exclude].map((list) => JSON.parse(list) as string[]);
    this.#scope = { origin: new URL(row.url).origin, include: include ?? [], exclude: exclude ?? [] };
  }

  async discover(): Promise<{ discovered: number; registered: number }> {
    const { storage, site } = this.#deps;
    const { id, url, max_pages: most } = this.#row;
    await setState(storage.db, this.#reach, id, { status: 'discovering' });
    const rules = await site.rules(url, this.#signal);
    if (!rules.allows(url)) throw new Unreadable('The site asks programs not to read it (robots.txt).');
    const frontier = new Frontier(rules);
    // The address that was given is read whatever the patterns say: it leads to the others.
    const start = pageUrl(url, url, { ...this.#scope, include: [], exclude: [] }) ?? url;
    frontier.claim(start);
    await this.#readSiteMaps(frontier, rules.sitemaps);
    for (let page: string | null = start; page !== null && this.#registered < most; page = frontier.next()) {
      this.#signal.throwIfAborted();
      await this.#page(page, frontier);
      await this.#job.checkpoint(this.#registered / most, async () => {});
    }
    if (this.#registered === 0) throw new Unreadable('No page of the site could be read.');
    return { discovered: frontier.size, registered: this.#registered };
  }

  async #readSiteMaps(frontier: Frontier, named: readonly string[]): Promise<void> {
    const waiting = named.length > 0 ? [...named] : [`${this.#scope.origin}/sitemap.xml`];
    for (let read = 0; read < MOST_SITE_MAPS && waiting.length > 0; read += 1) {
      const map = waiting.shift() as string;
      if (!URL.canParse(map) || new URL(map).origin !== this.#scope.origin) continue;
      const fetched = await this.#fetch(map, SITE_MAP_BYTES);
      if (fetched === null) continue;
      const { pages, maps } = locationsOf(Buffer.from(fetched.bytes).toString('utf8'));
      waiting.push(...maps);
      for (const page of pages) {
        const url = pageUrl(page, map, this.#scope);
        if (url !== null) frontier.add(url);
      }
    }
  }

  async #page(url: string, frontier: Frontier): Promise<void> {
    const fetched = await this.#fetch(url, limitsOf(this.#reach.environment).fileBytes);
    if (fetched === null) return;
    const kind = sniffed(fetched.bytes, formatNamed(fetched.name, fetched.type));
    if (kind.kind === 'foreign') return;
    let hash = createHash('sha256').update(fetched.bytes).digest('hex');
    let address = url;
    if (kind.format === 'html') {
      const page = await this.#parsed(fetched);
      if (page === null) return;
      for (const link of page.links ?? []) {
        const next = pageUrl(link, url, this.#scope);
        if (next !== null) frontier.add(next);
      }
      const canonical = page.canonical ? pageUrl(page.canonical, url, this.#scope) : null;
      if (canonical !== null && canonical !== url && !frontier.claim(canonical)) return;
      address = canonical ?? url;
      hash = createHash('sha256').update(JSON.stringify(page.blocks)).digest('hex');
      if (page.blocks.length === 0) return;
    }
    if (this.#texts.has(hash) || pageUrl(address, address, this.#scope) === null) return;
    this.#texts.add(hash);
    await this.#register(address, fetched);
  }

  async #parsed(fetched: Fetched) {
    try {
      return await parseApart(fetched.bytes, 'html', this.#signal);
    } catch (error) {
      if (error instanceof Unreadable) return null;
      throw error;
    }
  }

  /** What was read is kept, so that the document's own job need not ask the site again. */
  async #register(url: string, fetched: Fetched): Promise<void> {
    const { storage, blobs, documents } = this.#deps;
    const { base_id: base, id: crawl, refresh_hours: hours } = this.#row;
    const known = await within(storage.db, this.#reach)
      .selectFrom('knowledge_documents')
      .select('id')
      .where('base_id', '=', base)
      .where('url', '=', url)
      .executeTakeFirst();
    this.#registered += 1;
    if (known !== undefined) return;
    const id = newDocumentId();
    const payer = payerOf(this.#reach, fetched.bytes.byteLength);
    await blobs.put(sourceKey(id), one(fetched.bytes), { payer });
    const document = {
      id,
      source: 'url' as const,
      title: null,
      url,
      mediaType: fetched.type.slice(0, 100),
      bytes: fetched.bytes.byteLength,
      refreshHours: hours === null ? null : Number(hours),
      crawl,
    };
    await documents.add(this.#reach, base, document, async () => {});
  }

  /** Null: this page can't be had. */
  async #fetch(url: string, maxBytes: number): Promise<Fetched | null> {
    try {
      return await this.#deps.site.fetch(url, { maxBytes, signal: this.#signal });
    } catch (error) {
      this.#signal.throwIfAborted();
      return error instanceof Error ? null : Promise.reject(error);
    }
  }
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
