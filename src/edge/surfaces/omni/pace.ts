import { Allowance } from '../../../foundation/platform/allowance.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';

/** Milliseconds of audio. What a network held up on the way may come at once: the lane has room for as much. A caller's sound card
 * may run a hundredth fast. */
const AUDIO = { most: 10_000, first: 2_000, perSecond: 1_010 };
/** A frame is work, however short it is. */
const LEAST_FRAME_MS = 2;
/** Control frames: at once, and a second. */
const CONTROLS = { most: 100, perSecond: 20 };
const CONFIGURES = { most: 5, perSecond: 1 };

/** Whether a caller's audio comes as fast as it is spoken. */
export class Pace {
  readonly #clock: Clock;
  readonly #bytesOfAMs: number;
  /** From the first frame on. */
  #audio: Allowance | null = null;

  constructor(clock: Clock, rate: number) {
    this.#clock = clock;
    this.#bytesOfAMs = (2 * rate) / 1000;
  }

  /** False: more has come than can have been spoken. */
  take(bytes: number): boolean {
    this.#audio ??= new Allowance(this.#clock, AUDIO);
    return this.#audio.take(Math.max(LEAST_FRAME_MS, bytes / this.#bytesOfAMs));
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
