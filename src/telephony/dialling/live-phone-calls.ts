import type { Clock } from '../../foundation/platform/clock.ts';
import { type RepeatingTask, repeatEvery } from '../../foundation/platform/repeat.ts';
import type { TelephonyCallStore } from './call-store.ts';
import type { CallEnding } from './contract.ts';
import type { PhoneCall } from './phone-call.ts';

const SEEN_EVERY_MS = 15_000;
const DRAINED: CallEnding = { reason: 'failed', detail: 'the server was stopped' };

/** The telephone calls that live on this node. */
export class LivePhoneCalls {
  readonly #clock: Clock;
  readonly #records: TelephonyCallStore;
  readonly #calls = new Map<string, PhoneCall>();
  readonly #onError: (error: unknown) => void;
  #sweeping: RepeatingTask | null = null;
  #emptied: (() => void)[] = [];

  constructor(clock: Clock, records: TelephonyCallStore, onError: (error: unknown) => void) {
    this.#clock = clock;
    this.#records = records;
    this.#onError = onError;
  }

  add(call: PhoneCall): void {
    this.#calls.set(call.id, call);
  }

  remove(call: PhoneCall): void {
    this.#calls.delete(call.id);
    if (this.#calls.size === 0) for (const tell of this.#emptied.splice(0)) tell();
  }

  find(id: string): PhoneCall | null {
    return this.#calls.get(id) ?? null;
  }

  get size(): number {
    return this.#calls.size;
  }

  async sweep(): Promise<void> {
    await this.#records.seen([...this.#calls.keys()]);
    await this.#records.endLost();
  }

  start(): void {
    const times = { everyMs: SEEN_EVERY_MS, firstMs: 0, onError: this.#onError };
    this.#sweeping = repeatEvery(this.#clock, () => this.sweep(), times);
  }

  /** Calls may go on until the deadline; then they are hung up, and their records are waited for. */
  async stop(deadlineMs: number): Promise<void> {
    await this.#until(deadlineMs);
    for (const call of this.#calls.values()) call.end(DRAINED);
    await this.#until(2_000);
    await this.#sweeping?.stop();
  }

  async #until(ms: number): Promise<void> {
    if (this.#calls.size === 0 || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const stop = this.#clock.after(ms, resolve);
      this.#emptied.push(() => {
        stop();
        resolve();
      });
    });
  }
}
