import type { Clock } from '../../foundation/platform/clock.ts';

/** The circuit stays open this long after a failure, and twice as long after each further one in a row. */
const OPEN_MS = 5_000;
const MAX_OPEN_MS = 300_000;
/** Customers' own providers are unbounded; the failures that happened least recently go. */
const MOST_REMEMBERED = 10_000;

interface Failures {
  readonly count: number;
  readonly until: number;
}

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
  admits(name: string): boolean {
    const failures = this.#failures.get(name);
    if (failures === undefined) return true;
    const now = this.#clock.monotonic();
    if (now < failures.until) return false;
    this.#failures.set(name, { ...failures, until: now + openMs(failures.count) });
    return true;
  }

  onFailure(name: string): void {
    const count = (this.#failures.get(name)?.count ?? 0) + 1;
    this.#failures.delete(name);
    this.#failures.set(name, { count, until: this.#clock.monotonic() + openMs(count) });
    if (this.#failures.size > MOST_REMEMBERED) this.#failures.delete([...this.#failures.keys()][0] as string);
  }

  onSuccess(name: string): void {
    this.#failures.delete(name);
  }
}

const openMs = (count: number): number => Math.min(OPEN_MS * 2 ** (count - 1), MAX_OPEN_MS);
