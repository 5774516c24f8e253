import robotsParser, { type Robot } from 'robots-parser';
import type { Clock } from '../../platform/clock.ts';

export const AGENT = 'TrunklineBot';
const KEPT_MS = 3600 * 1000;
const MOST_SITES = 500;

/** What a site lets programs read. */
export interface SiteRules {
  allows(url: string): boolean;
  readonly pauseSeconds: number;
  readonly sitemaps: readonly string[];
}

/** The text of `/robots.txt`; empty where there is none, null where the site can't say now. */
export type ReadRobots = (url: string, signal: AbortSignal) => Promise<string | null>;

/** The rules of sites, kept for an hour. */
export class RobotRules {
  readonly #read: ReadRobots;
  readonly #clock: Clock;
  readonly #sites = new Map<string, { until: number; rules: Promise<SiteRules> }>();

  constructor(read: ReadRobots, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
  }

  async of(url: string, signal: AbortSignal): Promise<SiteRules> {
    const { origin } = new URL(url);
    const known = this.#sites.get(origin);
    if (known !== undefined && known.until > this.#clock.now()) return await known.rules;
    const rules = this.#load(`${origin}/robots.txt`, signal);
    this.#sites.set(origin, { until: this.#clock.now() + KEPT_MS, rules });
    if (this.#sites.size > MOST_SITES) this.#sites.delete(this.#sites.keys().next().value as string);
    rules.catch(() => this.#sites.delete(origin));
    return await rules;
  }

  async #load(url: string, signal: AbortSignal): Promise<SiteRules> {
    const text = await this.#read(url, signal);
    // A site whose rules can't be read for its own trouble has said no until it can.
    if (text === null) return { allows: () => false, pauseSeconds: 0, sitemaps: [] };
    const robot = (robotsParser as unknown as (url: string, text: string) => Robot)(url, text);
    return {
      allows: (page) => robot.isAllowed(page, AGENT) !== false,
      pauseSeconds: robot.getCrawlDelay(AGENT) ?? 0,
      sitemaps: robot.getSitemaps(),
    };
  }
}
