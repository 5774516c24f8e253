import type { Clock } from '../platform/clock.ts';
import { randomBase62 } from '../platform/ids.ts';
import type { SharedRedis } from './shared-redis.ts';

const SLOT_LEASE_MS = 30_000;

const ACQUIRE_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`;

const RENEW_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`;

const redisKey = (subject: string): string => `trunkline:slots:${subject}`;

/**
 * Limits the live sessions of a subject. Redis counts them over all nodes; without it, or during an outage, this node
 * counts its own.
 */
export class ConcurrencyLimiter {
  readonly #counts: SharedRedis | null;
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #held = new Map<string, Set<string>>();
  #cancelRenewal: (() => void) | null = null;

  constructor(counts: SharedRedis | null, clock: Clock, leaseMs = SLOT_LEASE_MS) {
    this.#counts = counts;
    this.#clock = clock;
    this.#leaseMs = leaseMs;
  }

  async acquire(subject: string, cap: number): Promise<(() => void) | null> {
    const held = this.#held.get(subject) ?? new Set();
    if (held.size >= cap) return null;
    // The slot counts before Redis answers, so that two concurrent calls on this node see each other.
    const id = randomBase62(16);
    held.add(id);
    this.#held.set(subject, held);
    const taken = await this.#counts?.attempt((redis) =>
      redis.eval(ACQUIRE_SCRIPT, 1, redisKey(subject), this.#leaseMs, cap, id),
    );
    if (taken === 0) {
      this.#drop(subject, id);
      return null;
    }
    this.#renewLater();
    return () => this.#release(subject, id);
  }

  heldCount(): number {
    let count = 0;
    for (const ids of this.#held.values()) count += ids.size;
    return count;
  }

  close(): void {
    this.#cancelRenewal?.();
    this.#cancelRenewal = null;
  }

  #drop(subject: string, id: string): boolean {
    const held = this.#held.get(subject);
    const had = held?.delete(id) ?? false;
    if (held?.size === 0) this.#held.delete(subject);
    return had;
  }

  #release(subject: string, id: string): void {
    if (!this.#drop(subject, id)) return;
    void this.#counts?.attempt((redis) => redis.zrem(redisKey(subject), id));
  }

  #renewLater(): void {
    if (this.#counts === null || this.#cancelRenewal !== null) return;
    this.#cancelRenewal = this.#clock.after(this.#leaseMs / 3, () => {
      this.#cancelRenewal = null;
      for (const [subject, ids] of this.#held) {
        for (const id of ids) {
          void this.#counts?.attempt((redis) =>
            redis.eval(RENEW_SCRIPT, 1, redisKey(subject), this.#leaseMs, id),
          );
        }
      }
      if (this.#held.size > 0) this.#renewLater();
    });
  }
}
