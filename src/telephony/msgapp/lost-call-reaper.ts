import type { Clock } from '../../foundation/platform/clock.ts';
import { type RepeatingTask, repeatEvery } from '../../foundation/platform/repeat.ts';
import type { MsgappCallStore } from './call-store.ts';
import type { HangUpQueue } from './hang-up-queue.ts';

export interface LostCallReaperOptions {
  readonly clock: Clock;
  readonly records: MsgappCallStore;
  readonly hangUps: HangUpQueue;
  /** The records of this node's calls. */
  readonly live: () => readonly string[];
}

const SEEN_EVERY_MS = 15_000;

/** Says of this node's calls that they live, and ends those whose node has died; at the start first of all. */
export class LostCallReaper {
  readonly #options: LostCallReaperOptions;
  #sweeping: RepeatingTask | null = null;

  constructor(options: LostCallReaperOptions) {
    this.#options = options;
  }

  start(onError: (error: unknown) => void): void {
    const { clock, records, hangUps, live } = this.#options;
    hangUps.start(onError);
    const sweep = async () => {
      await records.seen(live());
      await records.endLost((trx, row) => hangUps.add(trx, row));
    };
    this.#sweeping = repeatEvery(clock, sweep, { everyMs: SEEN_EVERY_MS, firstMs: 0, onError });
  }

  async stop(): Promise<void> {
    await this.#sweeping?.stop();
    await this.#options.hangUps.stop();
  }
}
