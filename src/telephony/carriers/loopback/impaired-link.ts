import type { Clock } from '../../../foundation/platform/clock.ts';
import { randomFrom } from '../../../foundation/platform/seeded-random.ts';

export interface LineQuality {
  readonly loss: number;
  readonly jitterMs: number;
}

export class ImpairedLink {
  readonly #clock: Clock;
  readonly #quality: LineQuality;
  readonly #deliver: (message: string) => void;
  readonly #random: () => number;
  #newest = 0;

  constructor(clock: Clock, quality: LineQuality, seed: string, deliver: (message: string) => void) {
    this.#clock = clock;
    this.#quality = quality;
    this.#deliver = deliver;
    this.#random = seededRandom(seed);
  }

  send(message: string): void {
    const { loss, jitterMs } = this.#quality;
    if (loss > 0 && this.#random() < loss) return;
    if (jitterMs === 0) {
      this.#deliver(message);
      return;
    }
    const now = this.#clock.monotonic();
    this.#newest = Math.max(this.#newest, now + this.#random() * jitterMs);
    this.#clock.after(this.#newest - now, () => this.#deliver(message));
  }
}

/** Numbers of 0..1 that are the same for the same text. */
function seededRandom(seed: string): () => number {
  let state = 0;
  for (const character of seed) state = (Math.imul(state, 31) + character.charCodeAt(0)) >>> 0;
  return randomFrom(state);
}
