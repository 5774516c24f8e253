import type { Clock } from '../../../foundation/platform/clock.ts';

const PING_EVERY_MS = 1_000;

/** Measures how far behind a peer is in reading. The bytes queued in this process say little: both kernels and every proxy
 * in between buffer a minute of speech first. A pong, however, comes after the peer has read everything before the ping, so
 * an unanswered ping's age is the lag. Pings follow sent frames only. */
export class ReadLagMonitor {
  readonly #clock: Clock;
  readonly #maxLagMs: number;
  #number = 0;
  #pingedAt = Number.NEGATIVE_INFINITY;
  #waiting = false;

  constructor(clock: Clock, maxLagSeconds: number) {
    this.#clock = clock;
    this.#maxLagMs = maxLagSeconds * 1000;
  }

  get isLagging(): boolean {
    return this.#waiting && this.#clock.monotonic() - this.#pingedAt > this.#maxLagMs;
  }

  /** Returns the payload of the ping that follows this frame, or null when none is due. */
  nextPing(): string | null {
    const now = this.#clock.monotonic();
    if (this.#waiting || now - this.#pingedAt < PING_EVERY_MS) return null;
    this.#pingedAt = now;
    this.#waiting = true;
    return String(++this.#number);
  }

  onPong(question: string): void {
    if (question === String(this.#number)) this.#waiting = false;
  }
}
