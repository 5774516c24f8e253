import type { Clock } from '../platform/clock.ts';
import { type Repeating, repeat } from '../platform/repeat.ts';
import type { CallRecords } from './calls.ts';

const SEEN_EVERY_MS = 15_000;

/** Says of this node's calls that they live, and ends the records of those whose node has died; at the start first of all. */
export class LostCalls {
  readonly #clock: Clock;
  readonly #records: CallRecords;
  readonly #live: () => readonly string[];
  #sweeping: Repeating | null = null;

  constructor(clock: Clock, records: CallRecords, live: () => readonly string[]) {
    this.#clock = clock;
    this.#records = records;
    this.#live = live;
  }

  start(onError: (error: unknown) => void): void {
    const sweep = async () => {
      await this.#records.seen(this.#live());
      await this.#records.endLost();
    };
    this.#sweeping = repeat(this.#clock, sweep, { everyMs: SEEN_EVERY_MS, firstMs: 0, onError });
  }

  async stop(): Promise<void> {
    await this.#sweeping?.stop();
  }
}
