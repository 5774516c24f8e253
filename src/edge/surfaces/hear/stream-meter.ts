import type { Admission, Principal } from '../../../foundation/access/contract.ts';
import type { Billing } from '../../../foundation/billing/contract.ts';
import { usageEventOf } from '../../../foundation/billing/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { newId } from '../../../foundation/platform/ids.ts';

export interface StreamMeterDeps {
  readonly billing: Billing;
  readonly clock: Clock;
}

const INITIAL_ADMISSION_MS = 10_000;

export interface TranscriptSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * Meters the audio of a stream up to the end of the last words that were sent, each millisecond once. Sent words are
 * billable from that moment; the meter records them with each final, at each recheck and at any end of the stream.
 */
export class StreamMeter {
  readonly #deps: StreamMeterDeps;
  readonly #principal: Principal;
  readonly #admission: Admission;
  readonly #stream = newId('sess');
  readonly #bytesPerSecond: number;
  #audioBytes = 0;
  /** Audio up to this position is billed or waived. */
  #positionMs = 0;
  #unbilledMs = 0;
  #recordedMs = 0;
  #events = 0;
  #forgiving = false;
  /** `#openMs` may grow to this; it is infinite during a recheck, so that no second one starts. */
  #promisedMs = INITIAL_ADMISSION_MS;

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
    return this.#audioMs / 1000;
  }

  get billedSeconds(): number {
    return this.#unbilledMs / 1000;
  }

  /** No later frame retracts these words. */
  onFinalText({ start, end }: TranscriptSpan): void {
    if (this.#forgiving) {
      this.#forgiving = false;
      this.#positionMs = Math.max(this.#positionMs, Math.round(start * 1000));
    }
    const until = Math.min(Math.round(end * 1000), this.#audioMs);
    if (until <= this.#positionMs) return;
    this.#unbilledMs += until - this.#positionMs;
    this.#positionMs = until;
  }

  /** The audio of a failed utterance is not charged with the next one. */
  onRecognitionFailed(): void {
    this.#forgiving = true;
  }

  /** Records unrecorded use. After a failure the use stays unrecorded, and the next call records it. */
  async record(): Promise<void> {
    const milliseconds = this.#unbilledMs - this.#recordedMs;
    if (milliseconds <= 0) return;
    const event = usageEventOf(this.#principal, {
      id: `use_${this.#stream.slice('sess_'.length)}_${this.#events}`,
      use: 'hear.stream',
      milliseconds,
      resource: this.#stream,
      occurredAt: this.#deps.clock.now(),
      reservationId: this.#admission.reservationId,
    });
    await this.#deps.billing.recordServedUsage(event);
    this.#recordedMs += milliseconds;
    this.#promisedMs -= milliseconds;
    this.#events += 1;
  }

  /**
   * Rejects with the ApiError of an exceeded cap, budget or credit; resolves with the milliseconds of audio that may
   * follow before the next check.
   */
  async recheck(): Promise<number> {
    this.#promisedMs = Number.POSITIVE_INFINITY;
    const open = this.#openMs;
    const promised = await this.#admission.recheck(open);
    this.#promisedMs = open + promised;
    return promised;
  }

  /** A recording may be sent faster than real time, so that more audio arrives than was admitted. */
  get isOverdrawn(): boolean {
    return this.#openMs > this.#promisedMs;
  }

  release(accounting: Promise<void>): void {
    this.#admission.settling(accounting);
    this.#admission.release();
  }

  get #openMs(): number {
    return this.#audioMs - this.#positionMs + this.#unbilledMs - this.#recordedMs;
  }

  get #audioMs(): number {
    return Math.round((this.#audioBytes * 1000) / this.#bytesPerSecond);
  }
}
