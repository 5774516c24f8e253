import { setImmediate } from 'node:timers/promises';

const LONGEST_MS = 10;

export class TimeSlice {
  #began = performance.now();

  /** The caller awaits it in each round; it yields to the event loop once the slice is used up. */
  async next(): Promise<void> {
    if (performance.now() - this.#began < LONGEST_MS) return;
    await setImmediate();
    this.#began = performance.now();
  }
}
