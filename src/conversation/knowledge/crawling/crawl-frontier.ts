import { MAX_URL_CHARACTERS } from '../../../foundation/platform/url-gate/index.ts';
import type { SiteRules } from '../fetching/robots-rules.ts';
import type { PathPattern, WorkBudget } from '../paths/path-pattern.ts';

export interface CrawlScope {
  readonly origin: string;
  /** The patterns match whole paths; an empty list takes all. */
  readonly include: readonly PathPattern[];
  readonly exclude: readonly PathPattern[];
  /** The budget limits all pattern matching of the crawl; addresses found after it is spent are skipped. */
  readonly work: WorkBudget;
}

/** The budget takes seconds of a core; a site of 50,000 addresses with hundreds of rules needs less. */
export const CRAWL_WORK_BUDGET = 500_000_000;
/** A crawl reads at most 500 pages; this bounds the addresses that it chooses from. */
const MOST_FOUND = 50_000;
const MOST_FOUND_CHARACTERS = 8_000_000;

const TRACKING = /^(utm_\w+|gclid|fbclid|mc_[ce]id|ref|session_?id|sid)$/i;
const NO_PAGE =
  /\.(png|jpe?g|gif|svg|webp|ico|css|js|mjs|json|xml|zip|gz|tar|mp[34]|wav|webm|woff2?|ttf|exe|dmg)$/i;

/** Returns the canonical form of an address; null where it is not a page of this site. */
export function pageUrl(link: string, from: string, scope: CrawlScope): string | null {
  if (link.length > MAX_URL_CHARACTERS || !URL.canParse(link, from)) return null;
  const url = new URL(link, from);
  url.hash = '';
  for (const name of [...url.searchParams.keys()]) if (TRACKING.test(name)) url.searchParams.delete(name);
  url.searchParams.sort();
  if (url.origin !== scope.origin || NO_PAGE.test(url.pathname)) return null;
  const { include, exclude, work } = scope;
  const place = url.pathname + url.search;
  if (place.length > MAX_URL_CHARACTERS) return null;
  if (include.length > 0 && !include.some((pattern) => pattern.matches(place, work))) return null;
  return exclude.some((pattern) => pattern.matches(place, work)) || work.left <= 0 ? null : url.href;
}

interface FoundPage {
  links: number;
  readonly order: number;
  readonly depth: number;
  taken: boolean;
}

/** The most promising pages come first: those with many links to them, and those near the root. */
export class Frontier {
  readonly #rules: SiteRules;
  readonly #work: WorkBudget;
  readonly #found = new Map<string, FoundPage>();
  #characters = 0;

  constructor(rules: SiteRules, work: WorkBudget) {
    this.#rules = rules;
    this.#work = work;
  }

  get size(): number {
    return this.#found.size;
  }

  add(url: string): void {
    const known = this.#found.get(url);
    if (known !== undefined) known.links += 1;
    else if (this.#hasCapacity && this.#rules.allows(url, this.#work)) {
      this.#found.set(url, { links: 1, order: this.#found.size, depth: depthOf(url), taken: false });
      this.#characters += url.length;
    }
  }

  get #hasCapacity(): boolean {
    return this.#found.size < MOST_FOUND && this.#characters < MOST_FOUND_CHARACTERS;
  }

  claim(url: string): boolean {
    this.add(url);
    const known = this.#found.get(url);
    if (known === undefined || known.taken) return false;
    known.taken = true;
    return true;
  }

  next(): string | null {
    let best: string | null = null;
    let bestRank = Number.NEGATIVE_INFINITY;
    for (const [url, { links, order, depth, taken }] of this.#found) {
      if (taken) continue;
      const rank = Math.log2(links) - depth - order / 10_000;
      if (rank > bestRank) [best, bestRank] = [url, rank];
    }
    if (best !== null) this.claim(best);
    return best;
  }
}

const depthOf = (url: string): number => new URL(url).pathname.split('/').filter(Boolean).length;
