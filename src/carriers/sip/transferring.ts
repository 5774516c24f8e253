import type { Clock } from '../../platform/clock.ts';
import { CarrierFault } from '../door.ts';

interface Asked {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  readonly stop: () => void;
}

const WITHIN_MS = 30_000;

/** A transfer that the trunk was asked for (REFER), until it tells how the new call goes. */
export class Transferring {
  readonly #clock: Clock;
  #asked: Asked | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when the other side has been taken over. */
  begin(ask: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = () =>
        this.settle(new CarrierFault('unclear', 'the trunk told nothing of the transfer within 30 s'));
      this.#asked = { resolve, reject, stop: this.#clock.after(WITHIN_MS, late) };
      ask();
    });
  }

  settle(error: Error | null): void {
    const asked = this.#asked;
    this.#asked = null;
    asked?.stop();
    if (error === null) asked?.resolve();
    else asked?.reject(error);
  }
}
