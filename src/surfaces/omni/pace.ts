import { Allowance } from '../../platform/allowance.ts';
import type { Clock } from '../../platform/clock.ts';

/** Of audio, what may come at once: a network held it up on the way. The lane has room for as much. */
const MOST_AT_ONCE_MS = 10_000;
const AT_FIRST_MS = 2_000;
/** By which a caller's sound card may run fast. */
const DRIFT = 0.01;
/** A frame is work, however short it is. */
const LEAST_FRAME_MS = 2;
/** Control frames: at once, and a second. */
const CONTROLS = { most: 100, perSecond: 20 };
const CONFIGURES = { most: 5, perSecond: 1 };

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
    const spoken = Math.max(LEAST_FRAME_MS, bytes / this.#bytesOfAMs);
    this.#allowedMs = Math.min(MOST_AT_ONCE_MS, this.#allowedMs + passed) - spoken;
    return this.#allowedMs >= 0;
  }
}

/** What control frames one connection may send: answering them takes the time of everybody else's calls. */
export class ControlPace {
  readonly #controls: Allowance;
  readonly #configures: Allowance;

  constructor(clock: Clock) {
    this.#controls = new Allowance(clock, CONTROLS);
    this.#configures = new Allowance(clock, CONFIGURES);
  }

  takeControl = (): boolean => this.#controls.take();
  takeConfigure = (): boolean => this.#configures.take();
}
