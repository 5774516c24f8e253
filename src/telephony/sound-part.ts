import type { MediaLeg } from '../carriers/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Part } from './line.ts';

const FRAME_MS = 20;
const BYTES_A_MS = 8;
/** What is sent ahead of the clock. */
const AHEAD_MS = 160;

export interface SoundOptions {
  readonly clock: Clock;
  /** U-law at 8 kHz. */
  readonly sound: Uint8Array;
  /** Begun again for as long as the line is this part's. */
  readonly loop?: boolean;
  /** It was played to its end. */
  readonly done?: () => void;
  readonly key?: (digit: string) => void;
}

/** Plays a sound on a line, paced by the clock. */
export class SoundPart implements Part {
  readonly #options: SoundOptions;
  #stop: () => void = () => undefined;

  constructor(options: SoundOptions) {
    this.#options = options;
  }

  enter(leg: MediaLeg): void {
    const { clock, sound, loop = false, done } = this.#options;
    const began = clock.monotonic();
    let sentMs = 0;
    const turn = () => {
      const elapsed = clock.monotonic() - began;
      for (; sentMs < elapsed + AHEAD_MS; sentMs += FRAME_MS) {
        const at = loop ? (sentMs * BYTES_A_MS) % sound.length : sentMs * BYTES_A_MS;
        if (at >= sound.length) {
          const left = Math.max(0, sound.length / BYTES_A_MS - elapsed);
          this.#stop = clock.after(left, () => done?.());
          return;
        }
        leg.send(sound.subarray(at, at + FRAME_MS * BYTES_A_MS));
      }
      this.#stop = clock.after(FRAME_MS, turn);
    };
    turn();
  }

  audio(): void {}

  key(digit: string): void {
    this.#options.key?.(digit);
  }

  leave(): void {
    this.#stop();
  }
}
