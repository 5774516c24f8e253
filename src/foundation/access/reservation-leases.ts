import type { BackgroundTasks, RepeatingTask } from '../platform/background-tasks.ts';
import type { CreditGuard } from './credit-guard.ts';

/** The reservations of a dead node expire after this time. A live node renews them three times in it. */
export const RESERVATION_LEASE_MS = 60_000;

export class ReservationLeases {
  readonly #credit: CreditGuard;
  readonly #background: BackgroundTasks;
  readonly #onError: (error: unknown) => void;
  readonly #ids = new Set<string>();
  #renewing: RepeatingTask | null = null;

  constructor(credit: CreditGuard, background: BackgroundTasks, onError: (error: unknown) => void) {
    this.#credit = credit;
    this.#background = background;
    this.#onError = onError;
  }

  add(id: string): void {
    this.#ids.add(id);
    this.#renewing ??= this.#background.repeat(
      'leases of credit reservations',
      () => this.#credit.renewLeases([...this.#ids], RESERVATION_LEASE_MS),
      { everyMs: RESERVATION_LEASE_MS / 3 },
    );
  }

  forget(id: string): void {
    this.#ids.delete(id);
    if (this.#ids.size === 0) this.close();
  }

  /** A failed release needs no retry: the reservation expires with its lease. */
  async release(id: string): Promise<void> {
    this.forget(id);
    await this.#credit.release(id).catch(this.#onError);
  }

  size(): number {
    return this.#ids.size;
  }

  close(): void {
    void this.#renewing?.stop();
    this.#renewing = null;
  }
}
