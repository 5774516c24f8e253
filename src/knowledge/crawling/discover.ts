import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { SiteRules } from '../fetching/robots.ts';

/** What pages of a site a crawl may take. */
export interface Scope {
  readonly origin: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** Parts of a URL that say where a reader came from, not what is read. */
const TRACKING = /^(utm_\w+|gclid|fbclid|mc_[ce]id|ref|session_?id|sid)$/i;
/** Files that are no page. */
const NO_PAGE =
  /\.(png|jpe?g|gif|svg|webp|ico|css|js|mjs|json|xml|zip|gz|tar|mp[34]|wav|webm|woff2?|ttf|exe|dmg)$/i;
const LOC = /<loc>\s*([^<\s]{1,2048})\s*<\/loc>/gi;
const MOST_LOCATIONS = 50_000;

/** The one spelling of an address on the site; null: it is none of the site's pages. */
export function pageUrl(link: string, from: string, scope: Scope): string | null {
  if (!URL.canParse(link, from)) return null;
  const url = new URL(link, from);
  url.hash = '';
  for (const name of [...url.searchParams.keys()]) if (TRACKING.test(name)) url.searchParams.delete(name);
  url.searchParams.sort();
  if (url.origin !== scope.origin || NO_PAGE.test(url.pathname)) return null;
  const { include, exclude } = scope;
  const place = url.pathname + url.search;
  if (include.length > 0 && !include.some((pattern) => matches(pattern, place))) return null;
  return exclude.some((pattern) => matches(pattern, place)) ? null : url.href;
}

/** `*` stands for anything; the pattern is of the whole path. Takes as long as the path, whatever the pattern. */
export function matches(pattern: string, path: string): boolean {
  const parts = pattern.split('*');
  const [first = ''] = parts;
  const last = parts.at(-1) ?? '';
  if (parts.length === 1) return path === pattern;
  if (!path.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return path.length - last.length >= at && path.endsWith(last);
}

const unpack = promisify(gunzip);
const MOST_UNPACKED = 50 * 1024 * 1024;

/** Site maps may come packed; empty: it can't be unpacked. */
export async function siteMapText(bytes: Uint8Array): Promise<string> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return Buffer.from(bytes).toString('utf8');
  return await unpack(bytes, { maxOutputLength: MOST_UNPACKED }).then(String, () => '');
}

/** Addresses in a site map. They are looked for, not parsed: entities and nesting have no effect. */
export function locationsOf(siteMap: string): { readonly pages: string[]; readonly maps: string[] } {
  const found = [...siteMap.matchAll(LOC)].slice(0, MOST_LOCATIONS).map(([, url = '']) => decoded(url));
  const isIndex = /<sitemapindex[\s>]/i.test(siteMap);
  return isIndex ? { pages: [], maps: found } : { pages: found, maps: [] };
}

const decoded = (url: string): string => url.replaceAll('&amp;', '&');

/** Pages that were found and not yet read, the most promising first: often linked, near the root. */
export class Frontier {
  readonly #rules: SiteRules;
  readonly #found = new Map<string, { links: number; order: number; taken: boolean }>();

  constructor(rules: SiteRules) {
    this.#rules = rules;
  }

  get size(): number {
    return this.#found.size;
  }

  add(url: string): void {
    const known = this.#found.get(url);
    if (known !== undefined) known.links += 1;
    else if (this.#rules.allows(url))
      this.#found.set(url, { links: 1, order: this.#found.size, taken: false });
  }

  /** Takes the address, if it was not taken before. */
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
    for (const [url, { links, order, taken }] of this.#found) {
      if (taken) continue;
      const rank = Math.log2(links) - depthOf(url) - order / 10_000;
      if (rank > bestRank) [best, bestRank] = [url, rank];
    }
    if (best !== null) this.claim(best);
    return best;
  }
}

const depthOf = (url: string): number => new URL(url).pathname.split('/').filter(Boolean).length;
