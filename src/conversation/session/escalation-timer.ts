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

/** Counts from the moment the caller expects an answer until the caller hears one: first a filler, then the brain is
 * asked once more, then an apology; a voice that says none of it ends the call. Whoever is late, the line is never
 * silent for long. */
export class EscalationTimer {
  readonly #clock: Clock;
  readonly #times: EscalationTimeouts;
  readonly #climb: (rung: EscalationStep) => void;
  #stops: (() => void)[] = [];

  constructor(
    clock: Clock,
    climb: (rung: EscalationStep) => void,
    times: EscalationTimeouts = DEFAULT_ESCALATION_TIMEOUTS,
  ) {
    this.#clock = clock;
    this.#climb = climb;
    this.#times = times;
  }

  start(): void {
    this.#arm(['filler', 'retry', 'apology', 'end']);
  }

  /** The words are there: only the voice can be late now. */
  awaitVoice(): void {
    this.#arm(['end']);
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  #arm(rungs: readonly EscalationStep[]): void {
    this.stop();
    for (const rung of rungs) this.#stops.push(this.#clock.after(this.#times[rung], () => this.#climb(rung)));
  }
}
