import type { Clock } from '../../../foundation/platform/clock.ts';
import { TokenBucket } from '../../../foundation/platform/token-bucket.ts';

/** Milliseconds of audio. What a network held up on the way may come at once: the lane has room for as much. A caller's sound card
 * may run a hundredth fast. */
const AUDIO_LIMITS = { capacity: 10_000, initial: 2_000, refillPerSecond: 1_010 };
/** A frame is work, however short it is. */
const MIN_FRAME_COST_MS = 2;
/** Control frames: at once, and a second. */
const CONTROL_LIMITS = { capacity: 100, refillPerSecond: 20 };
const CONFIGURE_LIMITS = { capacity: 5, refillPerSecond: 1 };

/** Whether a caller's audio comes as fast as it is spoken. */
export class AudioRateLimiter {
  readonly #clock: Clock;
  readonly #bytesOfAMs: number;
  /** The bucket starts with the first frame. */
  #audio: TokenBucket | null = null;

  constructor(clock: Clock, rate: number) {
    this.#clock = clock;
    this.#bytesOfAMs = (2 * rate) / 1000;
  }

  /** Returns false when audio arrives faster than real time permits. */
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
