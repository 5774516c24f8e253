import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import type { Principal } from './contract.ts';
import { sourceNetwork } from './networks.ts';
import { type RateLimiter, type RateLimitPolicy, rateLimitHeaders } from './rate-limiter.ts';
import { tooManyRequests } from './refusals.ts';
import { SubjectThrottle } from './subject-throttle.ts';

type Headers = Record<string, string>;

/**
 * A subject gets this many refusals without delay. Further ones are delayed, because a client that retries at once
 * costs the server a fifth of a core in refusals.
 */
const IMMEDIATE_REFUSALS = { burst: 200, eachMs: 500 };
const REFUSAL_DELAY_MS = 500;
/** The bound limits the delayed refusals in flight. Beyond it, refusals are sent without delay. */
const MAX_DELAYED_REFUSALS = 1_000;

export class RequestRateLimits {
  readonly #rates: RateLimiter;
  readonly #network: RateLimitPolicy;
  readonly #clock: Clock;
  readonly #refusals: SubjectThrottle;
  #late = 0;

  constructor(rates: RateLimiter, network: RateLimitPolicy, clock: Clock) {
    this.#rates = rates;
    this.#network = network;
    this.#clock = clock;
    this.#refusals = new SubjectThrottle(clock, IMMEDIATE_REFUSALS);
  }

  async spend(principal: Principal, remoteAddress: string): Promise<Headers> {
    const network = await this.spendNetwork(remoteAddress);
    if (principal.keyId === null) return network;
    const verdict = await this.#rates.consume(keyPolicy(principal), principal.keyId);
    const headers = rateLimitHeaders(verdict);
    if (!verdict.allowed) {
      await this.#hesitate(principal.keyId);
      throw tooManyRequests('key', verdict.resetMs, headers);
    }
    return headers;
  }

  async spendNetwork(remoteAddress: string): Promise<Headers> {
    const verdict = await this.#rates.consume(this.#network, sourceNetwork(remoteAddress));
    const headers = rateLimitHeaders(verdict);
    if (!verdict.allowed) {
      await this.#hesitate(sourceNetwork(remoteAddress));
      throw tooManyRequests('network', verdict.resetMs, headers);
    }
    return headers;
  }

  async #hesitate(subject: string): Promise<void> {
    if (this.#refusals.next(subject, REFUSAL_DELAY_MS) === 0 || this.#late >= MAX_DELAYED_REFUSALS) return;
    this.#late += 1;
    await new Promise<void>((resolve) => this.#clock.after(REFUSAL_DELAY_MS, resolve));
    this.#late -= 1;
  }

  /** The headers report the rest of the rate without using any: the key's where there is one, else the network's. */
  async addRateLimitHeaders(
    error: unknown,
    remoteAddress: string,
    principal: Principal | null,
  ): Promise<unknown> {
    if (!(error instanceof ApiError) || principal?.kind === 'operator') return error;
    const keyId = principal?.keyId ?? null;
    const verdict =
      principal === null || keyId === null
        ? await this.#rates.peek(this.#network, sourceNetwork(remoteAddress))
        : await this.#rates.peek(keyPolicy(principal), keyId);
    Object.assign(error.headers, { ...rateLimitHeaders(verdict), ...error.headers });
    return error;
  }
}

const keyPolicy = ({ limits: { rps, burst } }: Principal): RateLimitPolicy => ({ name: 'key', rps, burst });
