import type { Clock } from '../../foundation/platform/clock.ts';
import type { IdlePlan } from './contract.ts';

export const DEFAULT_IDLE_PLAN: IdlePlan = { afterMs: 20_000, times: 3, hangUp: true };

export class IdleTimer {
  readonly #clock: Clock;
  readonly #plan: IdlePlan;
  readonly #onIdle: (gone: boolean) => void;
  #prompts = 0;
  #stop: () => void = () => undefined;
  #isClosed = false;

  constructor(clock: Clock, onIdle: (gone: boolean) => void, plan: IdlePlan = DEFAULT_IDLE_PLAN) {
    this.#clock = clock;
    this.#onIdle = onIdle;
    this.#plan = plan;
  }

  start(): void {
    this.stop();
    if (this.#isClosed) return;
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

  /** The call has ended: the timer does not start again. */
  close(): void {
    this.stop();
    this.#isClosed = true;
  }

  reset(): void {
    this.stop();
    this.#prompts = 0;
  }
}
