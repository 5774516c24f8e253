import type { Clock } from '../../foundation/platform/clock.ts';

/** Any minute has at most 6 + 14 writes: a burst at once, then one in 4.3 s. */
const BURST = 6;
const REFILL_MS = 60_000 / 14;

export interface CheckpointWriterOptions {
  readonly clock: Clock;
  readonly write: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Writes a call's state after each event: at once, or together with later events where the rate limit delays it. */
export class CheckpointWriter {
  readonly #options: CheckpointWriterOptions;
  #tokens = BURST;
  #filledAt: number;
  #isDirty = false;
  #isWriting = false;
  #stopped = false;
  #cancel: () => void = () => undefined;

  constructor(options: CheckpointWriterOptions) {
    this.#options = options;
    this.#filledAt = options.clock.monotonic();
  }

  touch(): void {
    if (this.#isDirty || this.#stopped) return;
    this.#isDirty = true;
    this.#schedule();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #schedule(): void {
    if (!this.#isDirty || this.#isWriting || this.#stopped) return;
    this.#refill();
    const waitMs = this.#tokens >= 1 ? 0 : (1 - this.#tokens) * REFILL_MS;
    // The delay, even of zero, lets the event finish, so that its effects are in the same write.
    this.#cancel = this.#options.clock.after(waitMs, () => void this.#write());
  }

  async #write(): Promise<void> {
    this.#refill();
    this.#tokens -= 1;
    this.#isDirty = false;
    this.#isWriting = true;
    try {
      await this.#options.write();
    } catch (error) {
      this.#isDirty = true;
      this.#options.onError(error);
    }
    this.#isWriting = false;
    this.#schedule();
  }

  #refill(): void {
    const now = this.#options.clock.monotonic();
    this.#tokens = Math.min(BURST, this.#tokens + (now - this.#filledAt) / REFILL_MS);
    this.#filledAt = now;
  }
}
