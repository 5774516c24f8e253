import { setImmediate } from 'node:timers/promises';

const LONGEST_MS = 10;

/** Divides a long loop, so that the event loop serves other requests in between. */
export class TimeSlice {
  #began = performance.now();

  /** Await it in each round: it lets the event loop run once the slice is used up. */
  async next(): Promise<void> {
    if (performance.now() - this.#began < LONGEST_MS) return;
    await setImmediate();
    this.#began = performance.now();
  }
}
