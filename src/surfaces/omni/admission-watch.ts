import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';

const EVERY_MS = 5_000;

export interface AdmissionWatchOptions {
  readonly clock: Clock;
  /** Throws an ApiError when the caller may not go on. */
  readonly check: () => Promise<void>;
  readonly refused: (refusal: ApiError) => void;
  /** It could not be found out. */
  readonly failed: (error: unknown) => void;
}

/** Looks every few seconds whether a call may go on: scope, origin and caps. A refusal is the last look. */
export class AdmissionWatch {
  readonly #options: AdmissionWatchOptions;
  #running = false;
  #cancel: () => void = () => undefined;

  constructor(options: AdmissionWatchOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = true;
    this.#later();
  }

  stop(): void {
    this.#running = false;
    this.#cancel();
  }

  #later(): void {
    this.#cancel = this.#options.clock.after(EVERY_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    try {
      await this.#options.check();
    } catch (error) {
      if (error instanceof ApiError) {
        if (this.#running) this.#options.refused(error);
        return;
      }
      this.#options.failed(error);
    }
    if (this.#running) this.#later();
  }
}
