import type { Clock } from '../../../foundation/platform/clock.ts';
import type { Brain, BrainError } from '../contract.ts';

/** A brain that could not be reached, or not in time, is passed over for so long: each caller would wait for the same failure. */
const OPEN_MS = 10_000;

interface BrainFailure {
  readonly owner: string;
  readonly until: number;
  readonly error: BrainError;
}

/** Which brains are not asked for a while. A question can be what was too much, so one owner's trouble is that owner's alone;
 * two owners', with no answer to anybody in between, are the brain's. */
export class BrainCircuitBreaker {
  readonly #clock: Clock;
  readonly #troubles = new Map<Brain, readonly BrainFailure[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Why it is passed over; null where it is to be asked. */
  refusalFor(brain: Brain, owner: string): BrainError | null {
    const now = this.#clock.monotonic();
    const troubles = (this.#troubles.get(brain) ?? []).filter(({ until }) => now < until);
    this.#troubles.set(brain, troubles);
    const own = troubles.findLast((trouble) => trouble.owner === owner);
    const others = new Set(troubles.map((trouble) => trouble.owner));
    return own?.error ?? (others.size > 1 ? (troubles.at(-1)?.error ?? null) : null);
  }

  /** `askedMs`: how long it wants to be left alone; no longer than any other rests. */
  onFailure(brain: Brain, owner: string, error: BrainError, askedMs: number | null = null): void {
    const until = this.#clock.monotonic() + Math.min(askedMs ?? OPEN_MS, OPEN_MS);
    const trouble = { owner, until, error };
    const others = (this.#troubles.get(brain) ?? []).filter((other) => other.owner !== owner);
    this.#troubles.set(brain, [...others, trouble]);
  }

  onSuccess(brain: Brain): void {
    this.#troubles.delete(brain);
  }
}
