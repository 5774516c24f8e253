import type { MediaLeg } from '../carriers/index.ts';
import type { Seat } from './company.ts';
import type { Line, Part } from './line.ts';

/** One end of a bridge: what comes from its line goes to the other. */
class BridgeEnd implements Part {
  readonly #to: MediaLeg;
  readonly #key: Keys;
  readonly #said: Said;

  constructor(to: MediaLeg, key: Keys, said: Said) {
    this.#to = to;
    this.#key = key;
    this.#said = said;
  }

  enter(): void {}
  leave(): void {}

  audio(frames: Uint8Array): void {
    this.#to.send(frames);
    this.#said(frames);
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

/** Two lines that are connected: what each side says is told, beside the other side's hearing it. */
export interface Bridge {
  readonly one: Line;
  readonly other: Line;
  readonly keys: { readonly toOne: Keys; readonly toOther: Keys };
  readonly said: (by: 'one' | 'other', frames: Uint8Array) => void;
}

/** Connects two lines: each side hears the other, and keys go across. */
export function bridge({ one, other, keys, said }: Bridge): void {
  one.give(new BridgeEnd(other.leg, keys.toOther, (frames) => said('one', frames)));
  other.give(new BridgeEnd(one.leg, keys.toOne, (frames) => said('other', frames)));
}

type Keys = (digit: string) => void;
type Said = (frames: Uint8Array) => void;
