import type { Clock } from '../../../foundation/platform/clock.ts';

/** An older rate belongs to a different load. */
const RATE_TTL_MS = 60_000;
const WEIGHT = 0.4;
const LEAST_TOKENS = 8;

interface Measured {
  readonly rate: number;
  readonly at: number;
}

export interface AnswerSlot {
  recordRate(tokens: number, ms: number): void;
  release(): void;
}

/** Admits an answer only where each running one keeps its minimum rate, by the rates measured under the same load. */
export class AnswerAdmission {
  readonly #clock: Clock;
  readonly #least: number;
  readonly #rates = new Map<number, Measured>();
  #running = 0;

  constructor(clock: Clock, tokensPerSecond: number) {
    this.#clock = clock;
    this.#least = tokensPerSecond;
  }

  recordRate(together: number, rate: number): void {
    const before = this.#estimatedMs(together);
    const mixed = before === null ? rate : before + WEIGHT * (rate - before);
    this.#rates.set(together, { rate: mixed, at: this.#clock.monotonic() });
  }

  refusal(): string | null {
    const rate = this.#running === 0 ? null : this.#expected(this.#running + 1);
    if (rate === null || rate >= this.#least) return null;
    return `one more answer would leave each of ${this.#running + 1} some ${rate.toFixed(1)} tokens a second; ${this.#least} are wanted`;
  }

  admit(): AnswerSlot {
    const atStart = ++this.#running;
    return {
      recordRate: (tokens, ms) => {
        if (tokens < LEAST_TOKENS || ms <= 0) return;
        this.recordRate(Math.round((atStart + this.#running) / 2), (1_000 * tokens) / ms);
      },
      release: () => void this.#running--,
    };
  }

  /** Estimates the rate of each of `together` answers: measured, or derived from a measurement with fewer. */
  #expected(together: number): number | null {
    for (let fewer = together; fewer > 0; fewer--) {
      const rate = this.#estimatedMs(fewer);
      if (rate !== null) return (rate * fewer) / together;
    }
    return null;
  }

  #estimatedMs(together: number): number | null {
    const known = this.#rates.get(together);
    if (known === undefined) return null;
    // The measurement of a single answer never expires, because no other estimate exists without it.
    const isOld = together > 1 && this.#clock.monotonic() - known.at > RATE_TTL_MS;
    return isOld ? null : known.rate;
  }
}
