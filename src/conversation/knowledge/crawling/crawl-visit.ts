import type { TenantScope } from '../../../foundation/access/contract.ts';
import type { RunningJob } from '../../../foundation/jobs/index.ts';
import { TimeSlice } from '../../../foundation/platform/time-slice.ts';
import { payerOf, withinTenant } from '../../../foundation/storage/index.ts';
import type { KnowledgeCrawlRow } from '../../../foundation/storage/tables/knowledge.ts';
import {
  detectFormat,
  formatFromName,
  type PageOutline,
  readOutlineIsolated,
  readSiteMapIsolated,
  UnreadableDocument,
} from '../../../language/documents/index.ts';
import { sha256 } from '../fetching/digest.ts';
import type { FetchedPage } from '../fetching/page-fetcher.ts';
import type { SiteRules } from '../fetching/robots-rules.ts';
import { documentSourceKey, newDocumentId } from '../knowledge-documents.ts';
import { knowledgeLimitsOf } from '../limits.ts';
import { PathPattern, type WorkBudget } from '../paths/path-pattern.ts';
import { CRAWL_WORK_BUDGET, type CrawlScope, Frontier, pageUrl } from './crawl-frontier.ts';
import { setState } from './crawl-state.ts';
import type { CrawlsDeps } from './crawls.ts';

const SITE_MAP_BYTES = 10 * 1024 * 1024;
const MOST_SITE_MAPS = 10;
/** The limit covers all site maps of a crawl together, unpacked. */
const MOST_UNPACKED = 50 * 1024 * 1024;
const MOST_ENTRIES = 50_000;
/** A crawl requests this many addresses beyond its pages, for those that are gone, duplicates or not documents. */
const MOST_IN_VAIN = 200;
const MOST_LOOKED_FOR = 500;

export class CrawlVisit {
  readonly #deps: CrawlsDeps;
  readonly #tenantScope: TenantScope;
  readonly #row: KnowledgeCrawlRow;
  readonly #job: RunningJob;
  readonly #signal: AbortSignal;
  readonly #slice = new TimeSlice();
  readonly #work: WorkBudget = { left: CRAWL_WORK_BUDGET };
  #scope: CrawlScope;
  /** The hashes of registered texts: a text under a second address is not a second document. */
  readonly #texts = new Set<string>();
  #registered = 0;

  constructor(
    deps: CrawlsDeps,
    scope: TenantScope,
    row: KnowledgeCrawlRow,
    job: RunningJob,
    signal: AbortSignal,
  ) {
    this.#deps = deps;
    this.#tenantScope = scope;
    this.#row = row;
    this.#job = job;
    this.#signal = signal;
    const [include, exclude] = [row.include, row.exclude].map((list) => JSON.parse(list) as string[]);
    this.#scope = {
      origin: new URL(row.url).origin,
      include: patternsOf(include),
      exclude: patternsOf(exclude),
      work: this.#work,
    };
  }

  async discover(): Promise<{ discovered: number; registered: number }> {
    const { id, url, max_pages: most } = this.#row;
    await setState(this.#deps.storage.db, this.#tenantScope, id, { status: 'discovering' });
    await this.#rules(url);
    const first = await this.#fetch(url, this.#mostBytes);
    // The crawl follows a redirect of its start address to the site's new origin.
    const landed = first?.url ?? url;
    this.#scope = { ...this.#scope, origin: new URL(landed).origin };
    const rules = await this.#rules(landed);
    const frontier = new Frontier(rules, this.#work);
    // The start address is read whatever the patterns say, because it leads to the others.
    const start = pageUrl(landed, landed, { ...this.#scope, include: [], exclude: [] }) ?? landed;
    frontier.claim(start);
    await this.#readSiteMaps(frontier, rules.sitemaps);
    if (first !== null) await this.#take(start, first, frontier);
    for (let asked = 0; this.#registered < most && asked < most + MOST_IN_VAIN; asked += 1) {
      const page = frontier.next();
      if (page === null) break;
      this.#signal.throwIfAborted();
      await this.#page(page, frontier);
      await this.#job.checkpoint(this.#registered / most, async () => {});
    }
    if (this.#registered === 0) throw new UnreadableDocument('No page of the site could be read.');
    await this.#lookForTheRest();
    return { discovered: frontier.size, registered: this.#registered };
  }

  async #rules(url: string): Promise<SiteRules> {
    const rules = await this.#deps.site.rules(url, this.#signal);
    if (!rules.allows(url)) throw new UnreadableDocument('The robots.txt of the site disallows crawling.');
    return rules;
  }

  get #mostBytes(): number {
    return knowledgeLimitsOf(this.#tenantScope.environment).fileBytes;
  }

  async #readSiteMaps(frontier: Frontier, named: readonly string[]): Promise<void> {
    const waiting = named.length > 0 ? [...named] : [`${this.#scope.origin}/sitemap.xml`];
    const left = { bytes: MOST_UNPACKED, entries: MOST_ENTRIES };
    for (let read = 0; read < MOST_SITE_MAPS && left.bytes > 0 && left.entries > 0; read += 1) {
      const map = waiting.shift();
      if (map === undefined) break;
      if (!URL.canParse(map) || new URL(map).origin !== this.#scope.origin) continue;
      const fetched = await this.#fetch(map, SITE_MAP_BYTES);
      if (fetched === null) continue;
      for await (const { pages, maps, bytes } of this.#siteMap(fetched, left)) {
        left.bytes -= bytes;
        left.entries -= pages.length + maps.length;
        waiting.push(...maps.slice(0, MOST_SITE_MAPS));
        await this.#offer(pages, map, frontier);
      }
    }
  }

  async *#siteMap({ bytes }: FetchedPage, left: { bytes: number; entries: number }) {
    try {
      yield* readSiteMapIsolated(bytes, left, this.#signal);
    } catch (error) {
      if (!(error instanceof UnreadableDocument)) throw error;
    }
  }

  async #offer(links: readonly string[], from: string, frontier: Frontier): Promise<void> {
    for (const link of links) {
      const url = pageUrl(link, from, this.#scope);
      if (url !== null) frontier.add(url);
      await this.#slice.next();
    }
  }

  async #page(url: string, frontier: Frontier): Promise<void> {
    const fetched = await this.#fetch(url, this.#mostBytes);
    if (fetched === null) return;
    const landed = pageUrl(fetched.url ?? url, url, this.#scope);
    // The target of a redirect is read once, where it is a page of the site.
    if (landed !== null && (landed === url || frontier.claim(landed)))
      await this.#take(landed, fetched, frontier);
  }

  async #take(url: string, fetched: FetchedPage, frontier: Frontier): Promise<void> {
    const kind = detectFormat(fetched.bytes, formatFromName(fetched.name, fetched.type));
    if (kind.kind === 'foreign') return;
    let hash = await sha256(fetched.bytes);
    let address = url;
    if (kind.format === 'html') {
      const page = await this.#outline(fetched);
      if (page === null) return;
      const from = page.base && URL.canParse(page.base, url) ? new URL(page.base, url).href : url;
      await this.#offer(page.links, from, frontier);
      if (page.unlisted) return;
      const canonical = page.canonical ? pageUrl(page.canonical, from, this.#scope) : null;
      if (canonical !== null && canonical !== url && !frontier.claim(canonical)) return;
      if (page.text === null) return;
      address = canonical ?? url;
      hash = page.text;
    }
    if (this.#texts.has(hash) || pageUrl(address, address, this.#scope) === null) return;
    this.#texts.add(hash);
    await this.#register(address, fetched);
  }

  async #outline(fetched: FetchedPage): Promise<PageOutline | null> {
    try {
      return await readOutlineIsolated(fetched.bytes, this.#signal);
    } catch (error) {
      if (error instanceof UnreadableDocument) return null;
      throw error;
    }
  }

  /** The fetched page is stored, so that the document's own job need not request it again. */
  async #register(url: string, fetched: FetchedPage): Promise<void> {
    const { storage, blobs, documents } = this.#deps;
    const { base_id: base, id: crawl } = this.#row;
    const refreshHours = this.#row.refresh_hours === null ? null : Number(this.#row.refresh_hours);
    const known = await withinTenant(storage.db, this.#tenantScope)
      .selectFrom('knowledge_documents')
      .select(['id', 'content_hash'])
      .where('base_id', '=', base)
      .where('url', '=', url)
      .executeTakeFirst();
    this.#registered += 1;
    const isChanged = known?.content_hash !== (await sha256(fetched.bytes));
    const id = known?.id ?? newDocumentId();
    const read = {
      mediaType: fetched.type.slice(0, 100),
      bytes: fetched.bytes.byteLength,
      refreshHours,
      crawl,
      ...(fetched.seen === undefined ? {} : { seen: fetched.seen }),
    };
    if (isChanged)
      await blobs.put(documentSourceKey(id), [fetched.bytes], {
        payer: payerOf(this.#tenantScope, read.bytes),
      });
    if (known !== undefined) return await documents.reread(this.#tenantScope, id, { ...read, isChanged });
    const document = { ...read, id, source: 'url' as const, title: null, url };
    await documents.add(this.#tenantScope, base, document, async () => {});
  }

  /** Refetches pages that earlier crawls found and this one did not, because they may be gone. */
  async #lookForTheRest(): Promise<void> {
    const { storage, documents } = this.#deps;
    const rest = await withinTenant(storage.db, this.#tenantScope)
      .selectFrom('knowledge_documents')
      .select('id')
      .where('base_id', '=', this.#row.base_id)
      .where('crawl_id', 'is not', null)
      .where('crawl_id', '!=', this.#row.id)
      .where('url', '>=', `${this.#scope.origin}/`)
      .where('url', '<', `${this.#scope.origin}0`)
      .where('status', 'in', ['indexed', 'failed'])
      .limit(MOST_LOOKED_FOR)
      .execute();
    for (const { id } of rest) await documents.refetch(this.#tenantScope, id);
  }

  async #fetch(url: string, maxBytes: number): Promise<FetchedPage | null> {
    try {
      return await this.#deps.site.fetch(url, { maxBytes, signal: this.#signal });
    } catch (error) {
      this.#signal.throwIfAborted();
      return error instanceof Error ? null : Promise.reject(error);
    }
  }
}

const patternsOf = (patterns: readonly string[] = []): PathPattern[] =>
  patterns.map((pattern) => new PathPattern(pattern, { isWhole: true }));
