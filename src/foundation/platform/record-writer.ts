import type { Clock } from './clock.ts';
import { storageFaultOf } from './storage-fault.ts';

/** A process that stops waits this long for the records of its calls. */
export const FINAL_WRITES_TIMEOUT_MS = 5_000;
const RETRY_MS = 2_000;

/**
 * Repeats a write every 2 s until it succeeds. `again` gets each failure and the count of failures so far; the promise
 * rejects with the failure for which it returns false.
 */
export async function retryWrite<T>(
  clock: Pick<Clock, 'after'>,
  write: () => Promise<T>,
  again: (error: unknown, failures: number) => boolean,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await write();
    } catch (error) {
      if (!again(error, failures)) throw error;
    }
    await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve));
  }
}

/**
 * Writes the parts of one record in their order. A write that the storage refuses for now is repeated, and those after
 * it wait. The first failure of each write is reported.
 */
export class RecordWriter {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #onFailure: (error: unknown) => void;
  #written: Promise<void> = Promise.resolve();

  constructor(clock: Pick<Clock, 'after'>, onFailure: (error: unknown) => void) {
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  /** Resolves once everything is written that was given so far. */
  get written(): Promise<void> {
    return this.#written;
  }

  /** A write that fails otherwise than by the storage is given up. The promise never rejects. */
  write(work: () => Promise<unknown>): Promise<void> {
    return this.#add(work, (error) => storageFaultOf(error) !== null);
  }

  /** Writes the end of the record, which is repeated after any failure, because nobody else has what it says. */
  end(work: () => Promise<unknown>): Promise<void> {
    return this.#add(work, () => true);
  }

  #add(work: () => Promise<unknown>, isRepeated: (error: unknown) => boolean): Promise<void> {
    const again = (error: unknown, failures: number) => {
      if (failures === 1) this.#onFailure(error);
      return isRepeated(error);
    };
    this.#written = this.#written
      .then(() => retryWrite(this.#clock, work, again))
      .then(
        () => undefined,
        () => undefined,
      );
    return this.#written;
  }
}
