import type { Clock } from '../../foundation/platform/clock.ts';
import { type Repeating, repeat } from '../../foundation/platform/repeat.ts';
import type { CallRecords } from './calls.ts';
import type { HangUps } from './hang-ups.ts';

export interface LostCallsOptions {
  readonly clock: Clock;
  readonly records: CallRecords;
  readonly hangUps: HangUps;
  /** The records of this node's calls. */
  readonly live: () => readonly string[];
}

const SEEN_EVERY_MS = 15_000;

/** Says of this node's calls that they live, and ends those whose node has died; at the start first of all. */
export class LostCalls {
  readonly #options: LostCallsOptions;
  #sweeping: Repeating | null = null;

  constructor(options: LostCallsOptions) {
    this.#options = options;
  }

  start(onError: (error: unknown) => void): void {
    const { clock, records, hangUps, live } = this.#options;
    hangUps.start(onError);
    const sweep = async () => {
      await records.seen(live());
      await records.endLost((trx, row) => hangUps.add(trx, row));
    };
    this.#sweeping = repeat(clock, sweep, { everyMs: SEEN_EVERY_MS, firstMs: 0, onError });
  }

  async stop(): Promise<void> {
    await this.#sweeping?.stop();
    await this.#options.hangUps.stop();
  }
}
