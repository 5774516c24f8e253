import { type StorageFault, storageFaultOf } from '../platform/storage-fault.ts';

/** Within this interval, the last trial's result stands. */
const TRIAL_EVERY_MS = 1_000;

/** A database that answers reads may still refuse writes. This class remembers the last fault of a query. */
export class WriteHealth {
  readonly #monotonic: () => number;
  #fault: { readonly kind: StorageFault; readonly message: string } | null = null;
  #triedAt = Number.NEGATIVE_INFINITY;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  noteFault(error: unknown): void {
    const kind = storageFaultOf(error);
    if (kind === null || kind === 'busy' || kind === 'away') return;
    this.#fault = { kind, message: (error as Error).message };
  }

  /** Returns null for a writable database. A fault stands until `trial`, an empty write, succeeds. */
  async problem(trial: () => Promise<void>): Promise<string | null> {
    if (this.#fault === null) return null;
    const now = this.#monotonic();
    if (now - this.#triedAt >= TRIAL_EVERY_MS) {
      this.#triedAt = now;
      await trial().then(
        () => {
          this.#fault = null;
        },
        (error: unknown) => this.noteFault(error),
      );
    }
    return this.#fault && SAID[this.#fault.kind](this.#fault.message);
  }
}

const SAID: Readonly<Record<StorageFault, (message: string) => string>> = {
  full: (message) => `its disk is full: ${message}`,
  read_only: (message) => `its disk is read-only: ${message}`,
  io: (message) => `its disk fails: ${message}`,
  damaged: (message) => `it is damaged: ${message}`,
  busy: (message) => `it is busy: ${message}`,
  away: (message) => `it does not respond: ${message}`,
};
