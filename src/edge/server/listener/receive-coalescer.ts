/**
 * Coalesces reads under load, as network cards coalesce interrupts: above ten frames a millisecond the event loop
 * sleeps until a millisecond after its last sleep, and then reads everything that has arrived. Without this an
 * otherwise idle loop wakes for every few frames, and each wake-up costs more than the frame. A busy loop never
 * sleeps.
 */
export interface CoalescerClock {
  now(): number;
  sleep(milliseconds: number): void;
  /** Runs `task` once, after the event loop has served the sockets that are ready in this turn. */
  afterTurn(task: () => void): void;
}

export const MAX_SLEEP_MS = 1;
/** The loop sleeps when this many frames arrive within `MAX_SLEEP_MS`, the rate of 200 calls. */
export const FRAMES_PER_CHECK = 10;
/** A shorter sleep costs more than it saves. */
const MIN_SLEEP_MS = 0.1;

const cell = new Int32Array(new SharedArrayBuffer(4));

export const threadClock: CoalescerClock = {
  now: () => performance.now(),
  sleep: (milliseconds) => {
    Atomics.wait(cell, 0, 0, milliseconds);
  },
  afterTurn: (task) => {
    setImmediate(task);
  },
};

export class ReceiveCoalescer {
  readonly #clock: CoalescerClock;
  #frames = 0;
  #since: number;

  constructor(clock: CoalescerClock = threadClock) {
    this.#clock = clock;
    this.#since = clock.now();
  }

  onFrame(): void {
    if (++this.#frames === FRAMES_PER_CHECK) this.#clock.afterTurn(this.#look);
  }

  readonly #look = (): void => {
    const now = this.#clock.now();
    const left = this.#since + MAX_SLEEP_MS - now;
    this.#frames = 0;
    this.#since = now;
    if (left < MIN_SLEEP_MS) return;
    this.#clock.sleep(left);
    this.#since = now + left;
  };
}
