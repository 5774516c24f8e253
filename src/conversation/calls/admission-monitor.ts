import type { Clock } from '../../foundation/platform/clock.ts';
import { type ApiError, isRefusal } from '../../foundation/platform/errors.ts';

const EVERY_MS = 5_000;
/** However little is left, the database is asked no more often. */
const LEAST_MS = 200;
/** A call ends before what is reserved for it is used up: looking and ending take time that is billed, too. */
const LEAD_MS = 1_000;

export interface AdmissionMonitorOptions {
  readonly clock: Clock;
  /** Throws an ApiError when the caller may not go on for `leadMs` from now; resolves with the milliseconds that they may beyond them. */
  readonly check: (leadMs: number) => Promise<number>;
  readonly refused: (refusal: ApiError) => void;
  /** It could not be found out. */
  readonly failed: (error: unknown) => void;
}

/** Looks every few seconds, and when what is promised is used up, whether a call may go on: scope, origin and caps. A
 * refusal is the last look. */
export class AdmissionMonitor {
  readonly #options: AdmissionMonitorOptions;
  #stopped = true;
  #cancel: () => void = () => undefined;
  #cancelEnd: () => void = () => undefined;

  constructor(options: AdmissionMonitorOptions) {
    this.#options = options;
  }

  /** `longestMs`: how long the call may last at all, and what happens then. */
  start(longestMs: number | null = null, over: () => void = () => undefined): void {
    this.#stopped = false;
    if (longestMs !== null) this.#cancelEnd = this.#options.clock.after(longestMs, over);
    // The reservation at admission may cover less than a second.
    this.#lookIn(LEAST_MS);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
    this.#cancelEnd();
  }

  #lookIn(milliseconds: number): void {
    if (this.#stopped) return;
    this.#cancel = this.#options.clock.after(milliseconds, () => void this.#look());
  }

  async #look(): Promise<void> {
    const { check, refused, failed } = this.#options;
    try {
      const promised = await check(LEAD_MS);
      this.#lookIn(Math.min(EVERY_MS, Math.max(LEAST_MS, promised)));
    } catch (error) {
      if (this.#stopped) return;
      if (isRefusal(error)) {
        this.stop();
        refused(error);
      } else {
        failed(error);
        this.#lookIn(EVERY_MS);
      }
    }
  }
}
