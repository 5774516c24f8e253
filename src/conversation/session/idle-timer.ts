import type { Clock } from '../../foundation/platform/clock.ts';
import type { IdlePlan } from './contract.ts';

export const DEFAULT_IDLE_PLAN: IdlePlan = { afterMs: 20_000, times: 3, hangUp: true };

/** Asks a caller who has fallen silent whether they are still there, and lets the call go when nobody answers. */
export class IdleTimer {
  readonly #clock: Clock;
  readonly #plan: IdlePlan;
  readonly #onIdle: (gone: boolean) => void;
  #prompts = 0;
  #stop: () => void = () => undefined;

  /** `onIdle` asks the caller, or is told that they are gone. */
  constructor(clock: Clock, onIdle: (gone: boolean) => void, plan: IdlePlan = DEFAULT_IDLE_PLAN) {
    this.#clock = clock;
    this.#onIdle = onIdle;
    this.#plan = plan;
  }

  /** It is the caller's turn now. */
  start(): void {
    this.stop();
    const { afterMs, times, hangUp } = this.#plan;
    this.#stop = this.#clock.after(afterMs, () => {
      const gone = this.#prompts >= times;
      if (gone && !hangUp) return;
      if (!gone) this.#prompts++;
      this.#onIdle(gone);
    });
  }

  stop(): void {
    this.#stop();
    this.#stop = () => undefined;
  }

  /** The caller has said something. */
  reset(): void {
    this.stop();
    this.#prompts = 0;
  }
}
