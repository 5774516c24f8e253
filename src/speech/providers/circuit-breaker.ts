import type { Clock } from '../../foundation/platform/clock.ts';

/** The circuit stays open this long after a failure, and twice as long after each further one in a row. */
const OPEN_MS = 5_000;
const MAX_OPEN_MS = 300_000;
/** Owners and customers' own providers are unbounded; the failures that happened least recently go. */
const MOST_REMEMBERED = 10_000;

interface Failures {
  readonly count: number;
  readonly until: number;
  /** The organization of the failure that counted last. */
  readonly owner: string;
}

/**
 * A text or an utterance can be too much for a provider, so one owner's failures count only for that owner. What opens
 * the circuit for all is a failure after one of another owner, at most MAX_OPEN_MS after that failure, or after the time for
 * which the circuit was open, and without a success in between.
 */
export class ProviderCircuitBreaker {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #failures = new Map<string, Failures>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /**
   * Returns true where the circuit admits a request. Once the open time has passed, it admits one request and stays
   * open for the others.
   */
  admits(name: string, owner: string): boolean {
    const now = this.#clock.monotonic();
    const circuits = [name, ownCircuit(name, owner)];
    if (circuits.some((circuit) => now < (this.#failures.get(circuit)?.until ?? now))) return false;
    for (const circuit of circuits) {
      const failures = this.#failures.get(circuit);
      if (failures !== undefined)
        this.#failures.set(circuit, { ...failures, until: now + openMs(failures.count) });
    }
    return true;
  }

  onFailure(name: string, owner: string): void {
    this.#open(ownCircuit(name, owner), owner);
    const last = this.#failures.get(name);
    const now = this.#clock.monotonic();
    if (last === undefined || now - last.until > MAX_OPEN_MS)
      this.#remember(name, { count: 0, until: now, owner });
    else if (last.owner !== owner) this.#open(name, owner);
  }

  /** The circuits of other owners stay open, because their texts may still be too much. */
  onSuccess(name: string, owner: string): void {
    this.#failures.delete(name);
    this.#failures.delete(ownCircuit(name, owner));
  }

  #open(circuit: string, owner: string): void {
    const at = this.#clock.monotonic();
    const count = (this.#failures.get(circuit)?.count ?? 0) + 1;
    this.#remember(circuit, { count, until: at + openMs(count), owner });
  }

  #remember(circuit: string, failures: Failures): void {
    this.#failures.delete(circuit);
    this.#failures.set(circuit, failures);
    if (this.#failures.size > MOST_REMEMBERED) this.#failures.delete([...this.#failures.keys()][0] as string);
  }
}

const ownCircuit = (name: string, owner: string): string => `${name}\n${owner}`;
const openMs = (count: number): number =>
  count === 0 ? 0 : Math.min(OPEN_MS * 2 ** (count - 1), MAX_OPEN_MS);
