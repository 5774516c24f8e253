import type { Clock } from '../../../foundation/platform/clock.ts';
import { CarrierError } from '../contract.ts';

interface PendingAnswer {
  readonly ask: () => void;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  stop: () => void;
}

const WITHIN_MS = 30_000;

/** One re-INVITE at a time. Two that cross (glare, 491) are repeated by `sip-call-events.ts` after a random wait. */
export class PendingReinvite {
  readonly #clock: Clock;
  readonly #what: string;
  #asked: PendingAnswer | null = null;

  constructor(clock: Clock, what: string) {
    this.#clock = clock;
    this.#what = what;
  }

  begin(ask: () => void): Promise<void> {
    this.settle(new CarrierError('refused', `${this.#what} was superseded by a newer one`));
    return new Promise((resolve, reject) => {
      const late = () =>
        this.settle(new CarrierError('unclear', `the trunk did not answer the ${this.#what} within 30 s`));
      this.#asked = { ask, resolve, reject, stop: this.#clock.after(WITHIN_MS, late) };
      ask();
    });
  }

  again(afterMs: number): boolean {
    const asked = this.#asked;
    if (asked === null) return false;
    const stopLate = asked.stop;
    const stopAgain = this.#clock.after(afterMs, asked.ask);
    asked.stop = () => {
      stopLate();
      stopAgain();
    };
    return true;
  }

  settle(error: Error | null): boolean {
    const asked = this.#asked;
    this.#asked = null;
    asked?.stop();
    if (error === null) asked?.resolve();
    else asked?.reject(error);
    return asked !== null;
  }
}
