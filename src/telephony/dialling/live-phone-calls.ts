import type { CallParts, LostCall } from '../../conversation/calls/index.ts';
import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { FINAL_WRITES_TIMEOUT_MS } from '../../foundation/platform/record-writer.ts';
import type { CallEnding } from './contract.ts';
import type { PhoneCall } from './phone-call.ts';
import type { TelephonyCallStore } from './telephony-call-store.ts';

const DRAINED: CallEnding = { reason: 'failed', detail: 'the server was stopped' };

export class LivePhoneCalls implements CallParts {
  readonly #clock: Clock;
  readonly #records: TelephonyCallStore;
  readonly #calls = new Map<string, PhoneCall>();
  /** Calls that this node is about to dial, with the ending of those that were hung up meanwhile. */
  readonly #expected = new Map<string, CallEnding | null>();
  #emptied: (() => void)[] = [];

  constructor(clock: Clock, records: TelephonyCallStore) {
    this.#clock = clock;
    this.#records = records;
  }

  /** A call that was hung up while it was expected is over at once. */
  add(call: PhoneCall): void {
    this.#calls.set(call.id, call);
    const ending = this.#expected.get(call.id) ?? null;
    this.forget(call.id);
    if (ending !== null) call.end(ending);
  }

  /** This node is about to claim and dial the call; `add` or `forget` follows. */
  expect(id: string): void {
    if (!this.#expected.has(id)) this.#expected.set(id, null);
  }

  forget(id: string): void {
    this.#expected.delete(id);
  }

  /** Hangs up a call that is expected. Returns false where it is not. */
  cancelExpected(id: string, ending: CallEnding): boolean {
    if (!this.#expected.has(id)) return false;
    this.#expected.set(id, ending);
    return true;
  }

  remove(call: PhoneCall): void {
    this.#calls.delete(call.id);
    if (this.#calls.size === 0) for (const notify of this.#emptied.splice(0)) notify();
  }

  find(id: string): PhoneCall | null {
    return this.#calls.get(id) ?? null;
  }

  get size(): number {
    return this.#calls.size;
  }

  live(): string[] {
    return [...this.#calls.values()].map(({ callId }) => callId);
  }

  endLost(trx: Trx, call: LostCall): Promise<void> {
    return this.#records.endLost(trx, call);
  }

  reclaim(trx: Trx, scope: TenantScope, callId: string): Promise<void> {
    return this.#records.reclaim(trx, scope, callId);
  }

  async stop(deadlineMs: number): Promise<void> {
    await this.#until(deadlineMs);
    for (const call of this.#calls.values()) call.end(DRAINED);
    await this.#until(FINAL_WRITES_TIMEOUT_MS);
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
