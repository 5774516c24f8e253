import type { Clock } from '../platform/clock.ts';
import { type Repeating, repeat } from '../platform/repeat.ts';
import type { Money } from './money.ts';

/** A node that dies holds nothing any more after this; one that lives renews its holds three times in it. */
export const HOLD_LEASE_MS = 60_000;

/** The holds whose admissions live on this node. */
export class HeldLeases {
  readonly #money: Money;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #ids = new Set<string>();
  #renewing: Repeating | null = null;

  constructor(money: Money, clock: Clock, onError: (error: unknown) => void) {
    this.#money = money;
    this.#clock = clock;
    this.#onError = onError;
  }

  add(id: string): void {
    this.#ids.add(id);
    this.#renewing ??= repeat(this.#clock, () => this.#money.renew([...this.#ids], HOLD_LEASE_MS), {
      everyMs: HOLD_LEASE_MS / 3,
      onError: this.#onError,
    });
  }

  /** The hold belongs to somebody else from now on. */
  forget(id: string): void {
    this.#ids.delete(id);
    if (this.#ids.size === 0) this.close();
  }

  /** A release that fails is made good by the lease. */
  async release(id: string): Promise<void> {
    this.forget(id);
    await this.#money.release(id).catch(this.#onError);
  }

  held(): number {
    return this.#ids.size;
  }

  close(): void {
    void this.#renewing?.stop();
    this.#renewing = null;
  }
}
