import type { Clock } from '../platform/clock.ts';

export interface SubjectThrottleOptions {
  readonly burst: number;
  readonly eachMs: number;
}

const FORGET_ABOVE = 10_000;

export class SubjectThrottle {
  readonly #clock: Clock;
  readonly #options: SubjectThrottleOptions;
  readonly #earned = new Map<string, number>();

  constructor(clock: Clock, options: SubjectThrottleOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  /**
   * Counts one use and returns the wait in milliseconds. Returns null, without counting, where the wait exceeds
   * `mostMs`.
   */
  next(subject: string, mostMs: number): number | null {
    const now = this.#clock.monotonic();
    const { burst, eachMs } = this.#options;
    const earned = Math.max(this.#earned.get(subject) ?? now, now) + eachMs;
    const wait = Math.max(0, earned - burst * eachMs - now);
    if (wait > mostMs) return null;
    this.#earned.set(subject, earned);
    if (this.#earned.size > FORGET_ABOVE) this.#forget(now);
    return wait;
  }

  #forget(now: number): void {
    for (const [subject, earned] of this.#earned) if (earned <= now) this.#earned.delete(subject);
  }
}
