import type { MediaLeg } from '../carriers/index.ts';
import type { Seat } from './company.ts';
import type { Line, Part } from './line.ts';

/** One end of a bridge: what comes from its line goes to the other. */
class BridgeEnd implements Part {
  #to: MediaLeg;
  readonly #key: (digit: string) => void;

  constructor(to: MediaLeg, key: (digit: string) => void) {
    this.#to = to;
    this.#key = key;
  }

  enter(): void {}
  leave(): void {}

  audio(frames: Uint8Array): void {
    this.#to.send(frames);
  }

  key(digit: string): void {
    this.#key(digit);
  }
}

/** One line on the company of another: what comes from it is said there. */
export class SeatPart implements Part {
  readonly #seat: Pick<Seat, 'say'>;
  readonly key: (digit: string) => void;

  constructor(seat: Pick<Seat, 'say'>, key: Keys) {
    this.#seat = seat;
    this.key = key;
  }

  enter(): void {}
  leave(): void {}

  audio(frames: Uint8Array): void {
    this.#seat.say(frames);
  }
}

/** Connects two lines: each side hears the other, and keys go across. */
export function bridge(one: Line, other: Line, keys: { toOne: Keys; toOther: Keys }): void {
  one.give(new BridgeEnd(other.leg, keys.toOther));
  other.give(new BridgeEnd(one.leg, keys.toOne));
}

type Keys = (digit: string) => void;
