import type { Clock } from '../../../foundation/platform/clock.ts';
import { readRobots, type SiteRules } from './robots-rules.ts';

export const CRAWLER_USER_AGENT = 'TrunklineBot';
const CACHE_TTL_MS = 3600 * 1000;
const MOST_SITES = 500;
const MOST_CHARACTERS = 4_000_000;

interface CachedRules {
  readonly until: number;
  readonly rules: Promise<SiteRules>;
  characters?: number;
}

/** Resolves with an empty text where the file does not exist, and with null where the site fails temporarily. */
export type ReadRobots = (url: string, signal: AbortSignal) => Promise<string | null>;

/** The rules of a site are cached for an hour. */
export class RobotRules {
  readonly #read: ReadRobots;
  readonly #clock: Clock;
  readonly #sites = new Map<string, CachedRules>();

  constructor(read: ReadRobots, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
  }

  async of(url: string, signal: AbortSignal): Promise<SiteRules> {
    const { origin } = new URL(url);
    const known = this.#sites.get(origin);
    if (known !== undefined && known.until > this.#clock.now()) return await known.rules;
    const site: CachedRules = { until: this.#clock.now() + CACHE_TTL_MS, rules: this.#load(origin, signal) };
    this.#sites.delete(origin);
    this.#sites.set(origin, site);
    try {
      return await site.rules;
    } catch (error) {
      if (this.#sites.get(origin) === site) this.#sites.delete(origin);
      throw error;
    }
  }

  async #load(origin: string, signal: AbortSignal): Promise<SiteRules> {
    const text = await this.#read(`${origin}/robots.txt`, signal);
    const site = this.#sites.get(origin);
    if (site !== undefined) site.characters = text?.length ?? 0;
    this.#evict();
    // RFC 9309 disallows everything while a site's rules cannot be read because of a server error.
    if (text === null) return { allows: () => false, pauseSeconds: 0, sitemaps: [] };
    return readRobots(text, CRAWLER_USER_AGENT);
  }

  #evict(): void {
    let characters = [...this.#sites.values()].reduce((sum, site) => sum + (site.characters ?? 0), 0);
    for (const [origin, site] of this.#sites) {
      if (this.#sites.size <= MOST_SITES && characters <= MOST_CHARACTERS) return;
      this.#sites.delete(origin);
      characters -= site.characters ?? 0;
    }
  }
}
