import type { Clock } from '../../../src/foundation/platform/clock.ts';

interface Timer {
  readonly at: number;
  readonly task: () => void;
}

export class ManualClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();

  constructor(now = 1_700_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, task: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), task };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get timers(): number {
    return this.#timers.size;
  }

  /** Advances the time and runs every due timer on the way, each at its own time. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.task();
    }
    this.#now = end;
  }

  /** The process stood still: time passed and no timer fired. `fireNext` runs the due timers one by one. */
  standStill(ms: number): void {
    this.#now += ms;
  }

  fireNext(): void {
    const due = [...this.#timers].filter(({ at }) => at <= this.#now).sort((a, b) => a.at - b.at)[0];
    if (!due) throw new Error('no timer is due');
    this.#timers.delete(due);
    due.task();
  }
}
