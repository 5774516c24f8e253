import type { Clock } from '../../../foundation/platform/clock.ts';
import type { Brain, BrainError } from '../contract.ts';

/** A failing brain is skipped this long, because each caller would otherwise wait for the same failure. */
const OPEN_MS = 10_000;

interface BrainFailure {
  readonly owner: string;
  readonly until: number;
  readonly error: BrainError;
}

/**
 * A single question can be too much for a brain, so one owner's failures count only for that owner. Failures of two
 * owners without a success in between open the circuit for all.
 */
export class BrainCircuitBreaker {
  readonly #clock: Clock;
  readonly #troubles = new Map<Brain, readonly BrainFailure[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  refusalFor(brain: Brain, owner: string): BrainError | null {
    const now = this.#clock.monotonic();
    const troubles = (this.#troubles.get(brain) ?? []).filter(({ until }) => now < until);
    this.#troubles.set(brain, troubles);
    const own = troubles.findLast((trouble) => trouble.owner === owner);
    const others = new Set(troubles.map((trouble) => trouble.owner));
    return own?.error ?? (others.size > 1 ? (troubles.at(-1)?.error ?? null) : null);
  }

  /** `askedMs` is the pause that the server demands, up to OPEN_MS. */
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
