import type { Clock } from '../../platform/clock.ts';

/** What may come at once: a network held it up on the way. The lane has room for as much. */
const MOST_AT_ONCE_MS = 5_000;
const AT_FIRST_MS = 2_000;
/** By which a caller's sound card may run fast. */
const DRIFT = 0.01;

/** Whether a caller's audio comes as fast as it is spoken. */
export class Pace {
  readonly #clock: Clock;
  readonly #bytesOfAMs: number;
  #seenAt: number | null = null;
  #allowedMs = AT_FIRST_MS;

  constructor(clock: Clock, rate: number) {
    this.#clock = clock;
    this.#bytesOfAMs = (2 * rate) / 1000;
  }

  /** False: more has come than can have been spoken. */
  take(bytes: number): boolean {
    const now = this.#clock.monotonic();
    const passed = (now - (this.#seenAt ?? now)) * (1 + DRIFT);
    this.#seenAt = now;
    this.#allowedMs = Math.min(MOST_AT_ONCE_MS, this.#allowedMs + passed) - bytes / this.#bytesOfAMs;
    return this.#allowedMs >= 0;
  }
}
