import type { Clock } from '../../../foundation/platform/clock.ts';
import { TokenBucket } from '../../../foundation/platform/token-bucket.ts';

/**
 * The values are milliseconds of audio. Audio that a network delayed may arrive at once, up to the lane's capacity. A
 * caller's sound card may run one percent fast.
 */
const AUDIO_LIMITS = { capacity: 10_000, initial: 2_000, refillPerSecond: 1_010 };
/** Every frame costs work, however short it is. */
const MIN_FRAME_COST_MS = 2;
/** The capacity limits a burst, the refill the rate per second. */
const CONTROL_LIMITS = { capacity: 100, refillPerSecond: 20 };
const CONFIGURE_LIMITS = { capacity: 5, refillPerSecond: 1 };

export class AudioRateLimiter {
  readonly #clock: Clock;
  readonly #bytesOfAMs: number;
  #audio: TokenBucket | null = null;

  constructor(clock: Clock, rate: number) {
    this.#clock = clock;
    this.#bytesOfAMs = (2 * rate) / 1000;
  }

  take(bytes: number): boolean {
    this.#audio ??= new TokenBucket(this.#clock, AUDIO_LIMITS);
    return this.#audio.take(Math.max(MIN_FRAME_COST_MS, bytes / this.#bytesOfAMs));
  }
}

/** Limits the control frames of one connection, because answering them takes CPU time from other calls. */
export class ControlRateLimiter {
  readonly #controls: TokenBucket;
  readonly #configures: TokenBucket;

  constructor(clock: Clock) {
    this.#controls = new TokenBucket(clock, CONTROL_LIMITS);
    this.#configures = new TokenBucket(clock, CONFIGURE_LIMITS);
  }

  takeControl = (): boolean => this.#controls.take();
  takeConfigure = (): boolean => this.#configures.take();
}
