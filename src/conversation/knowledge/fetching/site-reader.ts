import type { Clock } from '../../../foundation/platform/clock.ts';
import { GateError, type GateResponse, type UrlGate } from '../../../foundation/platform/url-gate/index.ts';
import { UnreadableDocument } from '../../../language/documents/index.ts';
import { HostRateLimiter } from './host-rate-limiter.ts';
import {
  type FetchedPage,
  type FetchPageOptions,
  type PageFetcher,
  PageUnavailable,
} from './page-fetcher.ts';
import { CRAWLER_USER_AGENT, RobotRules } from './robots.ts';
import type { SiteRules } from './robots-rules.ts';

const TIMEOUT_MS = 60_000;
const LEAST_BYTES_PER_SECOND = 2_000;
const MAX_REDIRECTS = 5;
const ROBOTS_BYTES = 500_000;
const TRANSIENT = new Set([408, 425, 429, 500, 502, 503, 504]);
const PASSING = new Set<GateError['reason']>(['dns', 'timeout', 'connection']);
const ACCEPT =
  'text/html, application/xhtml+xml, application/pdf, text/markdown, text/plain, text/csv, */*;q=0.5';

export interface SiteReaderDeps {
  readonly gate: UrlGate;
  readonly clock: Clock;
  readonly pauseMs?: number;
}

/** Fetches pages through the URL gate, at the site's own pace, and only where its robots.txt allows it. */
export class SiteReader implements PageFetcher {
  readonly #gate: UrlGate;
  readonly #pace: HostRateLimiter;
  readonly #robots: RobotRules;

  constructor({ gate, clock, pauseMs }: SiteReaderDeps) {
    this.#gate = gate;
    this.#pace = new HostRateLimiter(clock, pauseMs);
    this.#robots = new RobotRules((url, signal) => this.#rulesText(url, signal), clock);
  }

  rules(url: string, signal: AbortSignal): Promise<SiteRules> {
    return this.#robots.of(url, signal);
  }

  async fetch(url: string, order: FetchPageOptions): Promise<FetchedPage | null> {
    const rules = await this.rules(url, order.signal);
    if (!rules.allows(url)) throw new UnreadableDocument('The robots.txt of the site disallows this page.');
    const { answer, bytes } = await this.#pace.acquire(url, rules.pauseSeconds, order.signal, () =>
      this.#read(url, order, conditions(order)),
    );
    if (answer.status === 304) return null;
    checkStatus(answer.status);
    return {
      bytes,
      type: header(answer, 'content-type') ?? '',
      url: answer.url,
      name: new URL(answer.url).pathname.split('/').at(-1) ?? '',
      seen: { etag: header(answer, 'etag'), last_modified: header(answer, 'last-modified') },
    };
  }

  async #rulesText(url: string, signal: AbortSignal): Promise<string | null> {
    const { answer, bytes } = await this.#pace.acquire(url, 0, signal, () =>
      this.#read(url, { maxBytes: ROBOTS_BYTES, signal }, {}),
    );
    if (answer.status >= 500 || answer.status === 429) return null;
    return answer.status === 200 ? bytes.toString('utf8') : '';
  }

  async #read(
    url: string,
    { maxBytes, signal }: Pick<FetchPageOptions, 'maxBytes' | 'signal'>,
    asked: Readonly<Record<string, string>>,
  ): Promise<{ answer: GateResponse; bytes: Buffer }> {
    try {
      const answer = await this.#gate.fetch(url, {
        headers: {
          accept: ACCEPT,
          'user-agent': `Mozilla/5.0 (compatible; ${CRAWLER_USER_AGENT}/1.0)`,
          ...asked,
        },
        maxBytes,
        timeoutMs: TIMEOUT_MS,
        leastBytesPerSecond: LEAST_BYTES_PER_SECOND,
        maxRedirects: MAX_REDIRECTS,
        signal,
      });
      const parts: Buffer[] = [];
      for await (const part of answer.body) parts.push(part as Buffer);
      return { answer, bytes: Buffer.concat(parts) };
    } catch (error) {
      if (!(error instanceof GateError)) throw error;
      const message = `The URL could not be fetched: ${error.message}`;
      throw PASSING.has(error.reason)
        ? new PageUnavailable(message, { cause: error })
        : new UnreadableDocument(message, { cause: error });
    }
  }
}

const conditions = ({ etag, lastModified }: FetchPageOptions): Record<string, string> => ({
  ...(etag ? { 'if-none-match': etag } : {}),
  ...(lastModified ? { 'if-modified-since': lastModified } : {}),
});

function checkStatus(status: number): void {
  if (status === 200) return;
  const message = `The URL responded with status ${status}.`;
  throw TRANSIENT.has(status) ? new PageUnavailable(message) : new UnreadableDocument(message);
}

function header({ headers }: GateResponse, name: string): string | null {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}
