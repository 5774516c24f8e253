import type { Clock } from '../platform/clock.ts';

const IDLE_MS = 20_000;
const MAX_IDLE_PROMPTS = 3;

/** Asks a caller who has fallen silent whether they are still there, and lets the call go when nobody answers. */
export class IdleWatch {
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #onIdle: (gone: boolean) => void;
  #prompts = 0;
  #stop: () => void = () => undefined;

  /** `onIdle` asks the caller, or is told that they are gone. */
  constructor(clock: Clock, onIdle: (gone: boolean) => void, idleMs = IDLE_MS) {
    this.#clock = clock;
    this.#onIdle = onIdle;
    this.#idleMs = idleMs;
  }

  /** It is the caller's turn now. */
  start(): void {
    this.stop();
    this.#stop = this.#clock.after(this.#idleMs, () => {
      const gone = this.#prompts >= MAX_IDLE_PROMPTS;
      if (!gone) this.#prompts++;
      this.#onIdle(gone);
    });
  }

  stop(): void {
    this.#stop();
    this.#stop = () => undefined;
  }

  /** The caller has said something. */
  answered(): void {
    this.stop();
    this.#prompts = 0;
  }
}
