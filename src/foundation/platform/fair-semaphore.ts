export class TooManyWaitingError extends Error {
  constructor() {
    super('As many as may wait for a place do already.');
    this.name = 'TooManyWaitingError';
  }
}

export interface FairSemaphoreOptions {
  readonly permits: number;
  /** Beyond this number of waiting calls, a tenant is refused at once. */
  readonly maxWaitingPerTenant?: number;
}

interface Waiter {
  readonly enter: () => void;
}

/**
 * The semaphore is fair between tenants: of the waiting ones, the tenant with the fewest permits goes first, and
 * among equals the least recently served. A flood from one tenant delays another's first request only by the work in
 * flight.
 */
export class FairSemaphore {
  readonly #options: FairSemaphoreOptions;
  readonly #held = new Map<string, number>();
  readonly #waiting = new Map<string, Waiter[]>();
  #taken = 0;

  constructor(options: FairSemaphoreOptions) {
    this.#options = options;
  }

  async acquire(tenant: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#taken >= this.#options.permits) await this.#wait(tenant, signal);
    else this.#take(tenant);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#leave(tenant);
    };
  }

  async run<T>(tenant: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const leave = await this.acquire(tenant, signal);
    try {
      return await task();
    } finally {
      leave();
    }
  }

  get waiting(): number {
    let count = 0;
    for (const line of this.#waiting.values()) count += line.length;
    return count;
  }

  #take(tenant: string): void {
    this.#taken += 1;
    this.#held.set(tenant, (this.#held.get(tenant) ?? 0) + 1);
  }

  #wait(tenant: string, signal: AbortSignal | undefined): Promise<void> {
    const line = this.#waiting.get(tenant) ?? [];
    if (line.length >= (this.#options.maxWaitingPerTenant ?? Number.POSITIVE_INFINITY))
      throw new TooManyWaitingError();
    this.#waiting.set(tenant, line);
    return new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        const at = line.indexOf(waiting);
        if (at >= 0) line.splice(at, 1);
        if (line.length === 0) this.#waiting.delete(tenant);
        reject(signal?.reason);
      };
      const waiting: Waiter = {
        enter: () => {
          signal?.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      line.push(waiting);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  }

  #leave(tenant: string): void {
    this.#taken -= 1;
    const held = (this.#held.get(tenant) ?? 1) - 1;
    if (held === 0) this.#held.delete(tenant);
    else this.#held.set(tenant, held);
    const next = this.#next();
    if (next === null) return;
    const line = this.#waiting.get(next) as Waiter[];
    const first = line.shift();
    this.#waiting.delete(next);
    if (line.length > 0) this.#waiting.set(next, line);
    this.#take(next);
    first?.enter();
  }

  #next(): string | null {
    let next: string | null = null;
    let fewest = Number.POSITIVE_INFINITY;
    for (const tenant of this.#waiting.keys()) {
      const held = this.#held.get(tenant) ?? 0;
      if (held < fewest) {
        next = tenant;
        fewest = held;
      }
    }
    return next;
  }
}
