import type { Clock } from '../../foundation/platform/clock.ts';

/** A timer that the call never saw fire does so this late, where the replay has gone another way than the call. */
const OVERDUE_MS = 1_000;

interface Timer {
  readonly dueAt: number;
  readonly task: () => void;
}

/** Time passes from input to input, and a timer fires when the trace says so: real timers come late. */
export class ReplayClock implements Clock {
  readonly #recorded: ReadonlySet<number>;
  readonly #timers = new Map<number, Timer>();
  #now = 0;
  #next = 0;

  constructor(recorded: ReadonlySet<number>) {
    this.#recorded = recorded;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, task: () => void): () => void {
    const number = this.#next++;
    this.#timers.set(number, { dueAt: this.#now + Math.max(0, ms), task });
    return () => this.#timers.delete(number);
  }

  fire(number: number): void {
    const timer = this.#timers.get(number);
    this.#timers.delete(number);
    timer?.task();
  }

  stepTo(atMs: number): void {
    this.#now = Math.max(this.#now, atMs);
  }

  async passTo(atMs: number, settled: () => Promise<void>): Promise<void> {
    for (;;) {
      const [number, overdue] = [...this.#timers]
        .filter(([own, { dueAt }]) => !this.#recorded.has(own) && dueAt + OVERDUE_MS <= atMs)
        .sort(([, one], [, other]) => one.dueAt - other.dueAt)[0] ?? [0, null];
      if (overdue === null) break;
      this.#now = Math.max(this.#now, overdue.dueAt + OVERDUE_MS);
      this.fire(number);
      await settled();
    }
    this.stepTo(atMs);
  }
}
