import type { Clock } from '../platform/clock.ts';

export type Rung = 'filler' | 'retry' | 'apology';

export interface LadderTimes {
  readonly filler: number;
  readonly retry: number;
  readonly apology: number;
}

export const LADDER: LadderTimes = { filler: 1_200, retry: 4_000, apology: 8_000 };

/** Counts from the moment the caller expects an answer until the caller hears one: first a filler, then the brain is
 * asked once more, then an apology. Whoever is late, the line is never silent. */
export class Ladder {
  readonly #clock: Clock;
  readonly #times: LadderTimes;
  readonly #climb: (rung: Rung) => void;
  #stops: (() => void)[] = [];

  constructor(clock: Clock, climb: (rung: Rung) => void, times: LadderTimes = LADDER) {
    this.#clock = clock;
    this.#climb = climb;
    this.#times = times;
  }

  start(): void {
    this.stop();
    for (const rung of ['filler', 'retry', 'apology'] as const) {
      this.#stops.push(this.#clock.after(this.#times[rung], () => this.#climb(rung)));
    }
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }
}
