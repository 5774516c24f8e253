import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import { type Repeating, repeat } from '../../platform/repeat.ts';

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
  #looking: Repeating | null = null;

  constructor(options: AdmissionWatchOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, failed } = this.#options;
    this.#looking = repeat(clock, () => this.#look(), { everyMs: EVERY_MS, onError: failed });
  }

  stop(): void {
    void this.#looking?.stop();
    this.#looking = null;
  }

  async #look(): Promise<void> {
    try {
      await this.#options.check();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (this.#looking === null) return;
      this.stop();
      this.#options.refused(error);
    }
  }
}
