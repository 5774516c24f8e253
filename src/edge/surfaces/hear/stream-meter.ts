import type { Admission, Principal } from '../../../foundation/access/contract.ts';
import type { Billing } from '../../../foundation/billing/contract.ts';
import { usageEventOf } from '../../../foundation/billing/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { newId } from '../../../foundation/platform/ids.ts';

export interface StreamMeterDeps {
  readonly billing: Billing;
  readonly clock: Clock;
}

/** A stream is admitted with as much. */
const INITIAL_ADMISSION_MS = 10_000;

/** Where words that were shown lie, in seconds of the stream. */
export interface TranscriptSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * Meters a stream: its audio up to the end of the last words that were shown, each millisecond once. Shown audio is
 * billable from that moment; it is recorded with each final, at each recheck and at the end of any kind.
 */
export class StreamMeter {
  readonly #deps: StreamMeterDeps;
  readonly #principal: Principal;
  readonly #admission: Admission;
  readonly #stream = newId('sess');
  readonly #bytesPerSecond: number;
  #audioBytes = 0;
  /** The stream up to this position is billed or waived. */
  #positionMs = 0;
  #unbilledMs = 0;
  #recordedMs = 0;
  #events = 0;
  #forgiving = false;
  /** How far `#openMs` may go; nothing is asked twice at once. */
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

  /** Words that no later frame takes back were sent. */
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

  /** An utterance could not be recognized: its audio is not charged with the next one. */
  onRecognitionFailed(): void {
    this.#forgiving = true;
  }

  /** Writes what is owed. Where that fails it is owed still, and goes with what is written next. */
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

  /** Throws the ApiError of the cap, budget or credit that goes with what is open; resolves with the milliseconds of
   * audio that may come until it has to be asked again. */
  async recheck(): Promise<number> {
    this.#promisedMs = Number.POSITIVE_INFINITY;
    const open = this.#openMs;
    const promised = await this.#admission.recheck(open);
    this.#promisedMs = open + promised;
    return promised;
  }

  /** More audio came than was promised: a recording may be sent faster than it was spoken. */
  get isOverdrawn(): boolean {
    return this.#openMs > this.#promisedMs;
  }

  /** `accounting`: what is still being written. */
  release(accounting: Promise<void>): void {
    this.#admission.settling(accounting);
    this.#admission.release();
  }

  /** Used, and not recorded. */
  get #openMs(): number {
    return this.#audioMs - this.#positionMs + this.#unbilledMs - this.#recordedMs;
  }

  get #audioMs(): number {
    return Math.round((this.#audioBytes * 1000) / this.#bytesPerSecond);
  }
}
