/**
 * Fewer and fuller turns of the event loop under many frames: where frames come faster than ten a millisecond, the loop
 * rests until a millisecond after its last rest, and then takes all that has arrived at once. It is what network cards do
 * with their interrupts. Without it a loop that has nothing else to do wakes for every few frames, and the waking costs
 * more than the frame. A loop that is busy for the whole millisecond never rests.
 */
export interface PacerClock {
  /** Milliseconds. */
  now(): number;
  /** Holds the thread. */
  rest(milliseconds: number): void;
  /** Runs `task` once, when the sockets that are ready in this turn have been served. */
  afterTurn(task: () => void): void;
}

/** How much later than without the pacer a frame, or anything else, may be served. */
export const LONGEST_REST_MS = 1;
/** It rests when this many have come within that time: the frames of 200 calls. */
export const FRAMES_A_LOOK = 10;
/** A rest below this costs more than it saves. */
const SHORTEST_REST_MS = 0.1;

const cell = new Int32Array(new SharedArrayBuffer(4));

export const threadClock: PacerClock = {
  now: () => performance.now(),
  rest: (milliseconds) => {
    Atomics.wait(cell, 0, 0, milliseconds);
  },
  afterTurn: (task) => {
    setImmediate(task);
  },
};

export class Pacer {
  readonly #clock: PacerClock;
  #frames = 0;
  /** When the loop went on after its last rest, or was last looked at. */
  #since: number;

  constructor(clock: PacerClock = threadClock) {
    this.#clock = clock;
    this.#since = clock.now();
  }

  /** A frame has come. */
  frame(): void {
    if (++this.#frames === FRAMES_A_LOOK) this.#clock.afterTurn(this.#look);
  }

  readonly #look = (): void => {
    const now = this.#clock.now();
    const left = this.#since + LONGEST_REST_MS - now;
    this.#frames = 0;
    this.#since = now;
    if (left < SHORTEST_REST_MS) return;
    this.#clock.rest(left);
    this.#since = now + left;
  };
}
