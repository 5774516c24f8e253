import type { Clock } from '../../foundation/platform/clock.ts';

export type EscalationStep = 'filler' | 'retry' | 'apology' | 'end';

export interface EscalationTimeouts {
  readonly filler: number;
  readonly retry: number;
  readonly apology: number;
  readonly end: number;
}

export const DEFAULT_ESCALATION_TIMEOUTS: EscalationTimeouts = {
  filler: 1_200,
  retry: 4_000,
  apology: 8_000,
  end: 20_000,
};

/**
 * The timer starts when the caller expects an answer and stops when the caller hears one. First the agent says a
 * filler, then the brain is asked again, then the agent apologizes. Where no audio follows, the call ends.
 */
export class EscalationTimer {
  readonly #clock: Clock;
  readonly #times: EscalationTimeouts;
  readonly #onStep: (step: EscalationStep) => void;
  #stops: (() => void)[] = [];

  constructor(
    clock: Clock,
    onStep: (step: EscalationStep) => void,
    times: EscalationTimeouts = DEFAULT_ESCALATION_TIMEOUTS,
  ) {
    this.#clock = clock;
    this.#onStep = onStep;
    this.#times = times;
  }

  start(): void {
    this.#arm(['filler', 'retry', 'apology', 'end']);
  }

  /** The words exist, so only the voice can still be late. */
  awaitVoice(): void {
    this.#arm(['end']);
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  #arm(steps: readonly EscalationStep[]): void {
    this.stop();
    for (const step of steps)
      this.#stops.push(this.#clock.after(this.#times[step], () => this.#onStep(step)));
  }
}
