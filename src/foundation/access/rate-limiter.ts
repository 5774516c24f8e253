import type { Clock } from '../platform/clock.ts';
import type { SharedRedis } from './shared-redis.ts';

export interface RateLimitPolicy {
  readonly name: 'key' | 'network';
  readonly rps: number;
  readonly burst: number;
}

export interface RateLimitDecision {
  readonly allowed: boolean;
  readonly policy: RateLimitPolicy;
  readonly remaining: number;
  /** In a refusal, it is the time until one more request fits; otherwise, until the full burst is available again. */
  readonly resetMs: number;
}

export const windowSeconds = (policy: RateLimitPolicy): number =>
  Math.max(1, Math.ceil(policy.burst / policy.rps));

const termsOf = ({ rps, burst }: RateLimitPolicy) => ({ each: 1000 / rps, most: (burst * 1000) / rps });

/** Times are fractions of milliseconds, and their sum is inexact. */
const SLACK_MS = 0.5;

/**
 * Implements the generic cell rate algorithm: a subject's value is its theoretical arrival time. In any interval at
 * most a burst plus the rate's share pass.
 */
const CONSUME_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local each, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local earned = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local ahead = earned + each - now
if ahead <= most + ${SLACK_MS} then
  redis.call('SET', KEYS[1], string.format('%.3f', earned + each), 'PX', math.ceil(ahead))
end
return string.format('%.3f', ahead)`;

const PEEK_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
return string.format('%.3f', math.max(tonumber(redis.call('GET', KEYS[1]) or now), now) - now)`;

const nameOf = (policy: RateLimitPolicy, subject: string): string =>
  `trunkline:rate:${policy.name}:${policy.burst}:${policy.rps}:${subject}`;

const FORGET_ABOVE = 10_000;

class LocalRateLimiter {
  readonly #clock: Clock;
  readonly #earned = new Map<string, number>();
  #forgetAbove = FORGET_ABOVE;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  spend(subject: string, each: number, most: number): number {
    const now = this.#clock.monotonic();
    const ahead = Math.max(this.#earned.get(subject) ?? now, now) + each - now;
    if (ahead <= most + SLACK_MS) this.#earned.set(subject, now + ahead);
    if (this.#earned.size > this.#forgetAbove) this.#forget(now);
    return ahead;
  }

  ahead(subject: string): number {
    const now = this.#clock.monotonic();
    return Math.max(this.#earned.get(subject) ?? now, now) - now;
  }

  #forget(now: number): void {
    for (const [subject, earned] of this.#earned) if (earned <= now) this.#earned.delete(subject);
    this.#forgetAbove = Math.max(FORGET_ABOVE, this.#earned.size * 2);
  }
}

/** Limits request rates. Redis counts for all nodes; without it, or during an outage, this node counts its own. */
export class RateLimiter {
  readonly #counts: SharedRedis | null;
  readonly #local: LocalRateLimiter;

  constructor(counts: SharedRedis | null, clock: Clock) {
    this.#counts = counts;
    this.#local = new LocalRateLimiter(clock);
  }

  async peek(policy: RateLimitPolicy, subject: string): Promise<RateLimitDecision> {
    const { each, most } = termsOf(policy);
    const name = nameOf(policy, subject);
    const shared = await this.#counts?.attempt((redis) => redis.eval(PEEK_SCRIPT, 1, name));
    const ahead = shared === undefined ? this.#local.ahead(name) : Number(shared);
    return { allowed: true, policy, remaining: Math.floor((most - ahead + SLACK_MS) / each), resetMs: ahead };
  }

  async consume(policy: RateLimitPolicy, subject: string): Promise<RateLimitDecision> {
    const { each, most } = termsOf(policy);
    const name = nameOf(policy, subject);
    const shared = await this.#counts?.attempt((redis) => redis.eval(CONSUME_SCRIPT, 1, name, each, most));
    const ahead = shared === undefined ? this.#local.spend(name, each, most) : Number(shared);
    const allowed = ahead <= most + SLACK_MS;
    return {
      allowed,
      policy,
      remaining: allowed ? Math.floor((most - ahead + SLACK_MS) / each) : 0,
      resetMs: allowed ? ahead : ahead - most,
    };
  }
}

/**
 * The header fields follow the IETF draft for rate limit headers: quota and window of the policy, what remains and
 * until when.
 */
export function rateLimitHeaders(verdict: RateLimitDecision): Record<string, string> {
  const { policy, remaining, resetMs } = verdict;
  return {
    ratelimit: `"${policy.name}";r=${remaining};t=${Math.ceil(resetMs / 1000)}`,
    'ratelimit-policy': `"${policy.name}";q=${policy.burst};w=${windowSeconds(policy)}`,
  };
}
