import type { Clock } from './clock.ts';

export interface AllowanceRate {
  readonly most: number;
  readonly perSecond: number;
  /** Where less than all of it may come at first. */
  readonly first?: number;
}

/** So many may come at once, and then so many a second. */
export class Allowance {
  readonly #clock: Clock;
  readonly #rate: AllowanceRate;
  #left: number;
  #seenAt: number;

  constructor(clock: Clock, rate: AllowanceRate) {
    this.#clock = clock;
    this.#rate = rate;
    this.#left = rate.first ?? rate.most;
    this.#seenAt = clock.monotonic();
  }

  take(count = 1): boolean {
    const { most, perSecond } = this.#rate;
    const now = this.#clock.monotonic();
    this.#left = Math.min(most, this.#left + ((now - this.#seenAt) / 1000) * perSecond);
    this.#seenAt = now;
    if (this.#left < count) return false;
    this.#left -= count;
    return true;
  }
}
