import type { Clock } from './clock.ts';

export interface TokenBucketRate {
  readonly capacity: number;
  readonly refillPerSecond: number;
  readonly initial?: number;
}

export class TokenBucket {
  readonly #clock: Clock;
  readonly #rate: TokenBucketRate;
  #left: number;
  #seenAt: number;

  constructor(clock: Clock, rate: TokenBucketRate) {
    this.#clock = clock;
    this.#rate = rate;
    this.#left = rate.initial ?? rate.capacity;
    this.#seenAt = clock.monotonic();
  }

  take(count = 1): boolean {
    const { capacity: most, refillPerSecond: perSecond } = this.#rate;
    const now = this.#clock.monotonic();
    this.#left = Math.min(most, this.#left + ((now - this.#seenAt) / 1000) * perSecond);
    this.#seenAt = now;
    if (this.#left < count) return false;
    this.#left -= count;
    return true;
  }
}
