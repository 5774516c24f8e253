import type { CallOwner } from '../../foundation/nodes/index.ts';
import type { MsgappCallStore } from './call-store.ts';
import type { HangUpQueue } from './hang-up-queue.ts';

export interface LostCallReaperOptions {
  readonly records: MsgappCallStore;
  readonly hangUps: HangUpQueue;
  /** The records of this node's calls. */
  readonly live: () => readonly string[];
}

/** Ends the calls of nodes that are gone, and has the provider hang them up. */
export class LostCallReaper implements CallOwner {
  readonly #options: LostCallReaperOptions;

  constructor(options: LostCallReaperOptions) {
    this.#options = options;
  }

  endLost(): Promise<void> {
    const { records, hangUps } = this.#options;
    return records.endLost((trx, row) => hangUps.add(trx, row));
  }

  takeBack(): Promise<void> {
    return this.#options.records.takeBack(this.#options.live());
  }
}
