import type { Admission, Principal } from '../../access/contract.ts';
import type { Billing } from '../../billing/contract.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import type { Storage } from '../../storage/index.ts';

export interface StreamMeterDeps {
  readonly billing: Billing;
  readonly storage: Storage;
  readonly clock: Clock;
}

/**
 * What a stream costs: its audio up to the end of the last utterance that had words. Each utterance bills what was not
 * billed before it, so that a crash loses at most the utterance that is open, and nothing is billed twice.
 */
export class StreamMeter {
  readonly #deps: StreamMeterDeps;
  readonly #principal: Principal;
  readonly #admission: Admission;
  readonly #stream = newId('sess');
  readonly #bytesPerSecond: number;
  #audioBytes = 0;
  #billedMs = 0;

  constructor(deps: StreamMeterDeps, principal: Principal, admission: Admission, rate: number) {
    this.#deps = deps;
    this.#principal = principal;
    this.#admission = admission;
    this.#bytesPerSecond = rate * 2;
  }

  audio(bytes: number): void {
    this.#audioBytes += bytes;
  }

  get audioSeconds(): number {
    return Math.round((this.#audioBytes * 1000) / this.#bytesPerSecond) / 1000;
  }

  get billedSeconds(): number {
    return this.#billedMs / 1000;
  }

  /** An utterance with words ended at `end` seconds. */
  async utterance(number: number, end: number): Promise<void> {
    const until = Math.round(Math.min(end, this.audioSeconds) * 1000);
    const milliseconds = until - this.#billedMs;
    if (milliseconds <= 0) return;
    this.#billedMs = until;
    const { orgId, projectId, keyId, environment } = this.#principal;
    const event = {
      id: `use_${this.#stream.slice('sess_'.length)}_${number}`,
      meter: 'hear' as const,
      orgId,
      projectId,
      keyId,
      environment,
      milliseconds,
      count: 0,
      resource: this.#stream,
      occurredAt: this.#deps.clock.now(),
    };
    await this.#deps.storage.transaction((transaction) => this.#deps.billing.record(transaction, event));
  }

  /** Throws the ApiError of the cap, budget or credit that goes with what is open. */
  async recheck(): Promise<void> {
    await this.#admission.recheck(Math.max(0, Math.round(this.audioSeconds * 1000) - this.#billedMs));
  }

  release(): void {
    this.#admission.release();
  }
}
