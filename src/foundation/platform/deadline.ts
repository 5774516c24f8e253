/**
 * Aborts after `ms`, or when another signal does. `AbortSignal.any` holds its sources weakly, so an otherwise
 * unreferenced `AbortSignal.timeout` is garbage-collected with its limit. This timer keeps a strong reference, and
 * never keeps the process alive.
 */
export function deadline(ms: number, ...others: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  const late = () => controller.abort(new DOMException(`More than ${ms} ms have passed.`, 'TimeoutError'));
  const timer = setTimeout(late, ms).unref();
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  for (const other of others) {
    if (other.aborted) controller.abort(other.reason);
    else if (!signal.aborted) DeadlineFollowers.of(other).add(controller);
  }
  return signal;
}

/** One listener serves all deadlines of a signal, because Node warns of a leak above ten listeners. */
class DeadlineFollowers {
  static readonly #known = new WeakMap<AbortSignal, DeadlineFollowers>();
  readonly #leader: AbortSignal;
  readonly #all = new Set<AbortController>();
  readonly #end = (): void => {
    for (const one of this.#all) one.abort(this.#leader.reason);
  };

  private constructor(leader: AbortSignal) {
    this.#leader = leader;
  }

  static of(leader: AbortSignal): DeadlineFollowers {
    const known = DeadlineFollowers.#known.get(leader) ?? new DeadlineFollowers(leader);
    DeadlineFollowers.#known.set(leader, known);
    return known;
  }

  add(one: AbortController): void {
    this.#all.add(one);
    this.#leader.addEventListener('abort', this.#end, { once: true });
    one.signal.addEventListener('abort', () => this.#leave(one), { once: true });
  }

  #leave(one: AbortController): void {
    this.#all.delete(one);
    if (this.#all.size === 0) this.#leader.removeEventListener('abort', this.#end);
  }
}
