import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { SharedCounts } from './shared-counts.ts';

export interface RatePolicy {
  readonly name: 'key' | 'network';
  readonly rps: number;
  readonly burst: number;
}

export interface RateVerdict {
  readonly allowed: boolean;
  readonly policy: RatePolicy;
  readonly remaining: number;
  readonly resetMs: number;
}

/** `burst` requests in the time that `rps` gives for them: the average never exceeds the rate, and a burst fits. */
export const windowSeconds = (policy: RatePolicy): number =>
  Math.max(1, Math.ceil(policy.burst / policy.rps));

interface Limiters {
  readonly local: RateLimiterMemory;
  readonly shared: RateLimiterRedis | null;
}

/** Request rates: counted in Redis for all nodes together where there is one, else (or while it is away) by this node. */
export class Rates {
  readonly #counts: SharedCounts | null;
  readonly #limiters = new Map<string, Limiters>();

  constructor(counts: SharedCounts | null) {
    this.#counts = counts;
  }

  async consume(policy: RatePolicy, subject: string): Promise<RateVerdict> {
    const limiters = this.#limitersOf(policy);
    const { shared } = limiters;
    const counted =
      this.#counts !== null && shared !== null
        ? await this.#counts.attempt(() => spend(shared, subject))
        : undefined;
    const result = counted ?? (await spend(limiters.local, subject));
    return {
      allowed: result.consumedPoints <= policy.burst,
      policy,
      remaining: Math.max(0, policy.burst - result.consumedPoints),
      resetMs: Math.max(0, result.msBeforeNext),
    };
  }

  /** One limiter for each form of window; its subjects' counts are inside. */
  #limitersOf(policy: RatePolicy): Limiters {
    const name = `${policy.name}:${policy.burst}:${policy.rps}`;
    const found = this.#limiters.get(name);
    if (found !== undefined) return found;
    const options = {
      points: policy.burst,
      duration: windowSeconds(policy),
      keyPrefix: `trunkline:rate:${name}`,
    };
    const limiters = {
      local: new RateLimiterMemory(options),
      shared:
        this.#counts === null
          ? null
          : new RateLimiterRedis({
              ...options,
              storeClient: this.#counts.redis,
              rejectIfRedisNotReady: true,
            }),
    };
    this.#limiters.set(name, limiters);
    return limiters;
  }
}

/** The library rejects when the points are used up; that is an answer, and any other rejection a failure. */
async function spend(
  limiter: RateLimiterMemory | RateLimiterRedis,
  subject: string,
): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(subject);
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return refusal;
    throw refusal;
  }
}

/** The header fields of the IETF draft: quota and window of the policy, what remains and until when. */
export function rateHeaders(verdict: RateVerdict): Record<string, string> {
  const { policy, remaining, resetMs } = verdict;
  return {
    ratelimit: `"${policy.name}";r=${remaining};t=${Math.ceil(resetMs / 1000)}`,
    'ratelimit-policy': `"${policy.name}";q=${policy.burst};w=${windowSeconds(policy)}`,
  };
}
