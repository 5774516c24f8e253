import type { Clock } from '../../../foundation/platform/clock.ts';

/** The pause lies between the end of one request and the start of the next to the same host. */
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;
const FORGOTTEN_AFTER = 1_000;

interface Site {
  last: Promise<unknown>;
  freeAt: number;
}

/** Each host gets one request at a time with a pause after it, so that crawling does not overload a site. */
export class HostRateLimiter {
  readonly #clock: Clock;
  readonly #pauseMs: number;
  readonly #sites = new Map<string, Site>();

  constructor(clock: Clock, pauseMs = PAUSE_MS) {
    this.#clock = clock;
    this.#pauseMs = pauseMs;
  }

  async acquire<T>(
    url: string,
    pauseSeconds: number,
    signal: AbortSignal,
    task: () => Promise<T>,
  ): Promise<T> {
    const site = this.#siteOf(new URL(url).host);
    const mine = site.last.then(async () => {
      await this.#until(site.freeAt, signal);
      signal.throwIfAborted();
      try {
        return await task();
      } finally {
        const asked = Math.min(LONGEST_PAUSE_MS, pauseSeconds * 1_000);
        site.freeAt = this.#clock.monotonic() + Math.max(this.#pauseMs, asked);
      }
    });
    site.last = mine.catch(() => undefined);
    return await mine;
  }

  #siteOf(host: string): Site {
    const site = this.#sites.get(host) ?? { last: Promise.resolve(), freeAt: 0 };
    this.#sites.delete(host);
    this.#sites.set(host, site);
    if (this.#sites.size > FORGOTTEN_AFTER) this.#sites.delete(this.#sites.keys().next().value as string);
    return site;
  }

  #until(at: number, signal: AbortSignal): Promise<void> {
    const wait = at - this.#clock.monotonic();
    if (wait <= 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = this.#clock.after(wait, resolve);
      const give = () => {
        stop();
        resolve();
      };
      signal.addEventListener('abort', give, { once: true });
    });
  }
}
