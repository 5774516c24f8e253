import type { MediaLeg } from '../carriers/index.ts';
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

/** Connects two lines: each side hears the other, and keys go across. */
export function bridge(one: Line, other: Line, keys: { toOne: Keys; toOther: Keys }): void {
  one.give(new BridgeEnd(other.leg, keys.toOther));
  other.give(new BridgeEnd(one.leg, keys.toOne));
}

type Keys = (digit: string) => void;
