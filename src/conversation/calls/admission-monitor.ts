import type { Clock } from '../../foundation/platform/clock.ts';
import { type ApiError, isRefusal } from '../../foundation/platform/errors.ts';

const EVERY_MS = 5_000;
/** The lower bound limits the rate of database queries when little credit is left. */
const LEAST_MS = 200;
/**
 * The monitor ends a call this much before its reservation is used up, because the check and the end take billed time
 * as well.
 */
const LEAD_MS = 1_000;

export interface AdmissionMonitorOptions {
  readonly clock: Clock;
  /**
   * Throws an ApiError where the caller may not go on for `leadMs` from now. Resolves with the milliseconds that are
   * covered beyond that.
   */
  readonly check: (leadMs: number) => Promise<number>;
  readonly refused: (refusal: ApiError) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Checks every few seconds, and when the reservation is used up, that the call may go on by its scope, origin and
 * spending caps. A refusal ends the checks.
 */
export class AdmissionMonitor {
  readonly #options: AdmissionMonitorOptions;
  #stopped = true;
  #cancel: () => void = () => undefined;
  #cancelEnd: () => void = () => undefined;

  constructor(options: AdmissionMonitorOptions) {
    this.#options = options;
  }

  /** Calls `over` once the call has lasted `longestMs`. */
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
