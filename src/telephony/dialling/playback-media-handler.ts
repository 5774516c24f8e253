import type { Clock } from '../../foundation/platform/clock.ts';
import type { MediaLeg } from '../carriers/index.ts';
import type { MediaHandler } from './call-media.ts';

const FRAME_MS = 20;
const BYTES_A_MS = 8;
const AHEAD_MS = 160;
const END_MARK = 'end';
/** The end does not wait longer for a carrier that has more than this left to play, or that returns no marks. */
const MARK_WITHIN_MS = 2_000;

export interface PlaybackOptions {
  readonly clock: Clock;
  readonly sound: Uint8Array;
  /** Repeats the audio until another handler takes the line. */
  readonly loop?: boolean;
  readonly done?: () => void;
  readonly key?: (digit: string) => void;
}

export class PlaybackMediaHandler implements MediaHandler {
  readonly #options: PlaybackOptions;
  #stop: () => void = () => undefined;
  #played: (() => void) | null = null;

  constructor(options: PlaybackOptions) {
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
          if (done !== undefined) this.#end(leg, left, done);
          return;
        }
        leg.send(sound.subarray(at, at + FRAME_MS * BYTES_A_MS));
      }
      this.#stop = clock.after(FRAME_MS, turn);
    };
    turn();
  }

  /** Ends no earlier than the clock allows, whatever marks a carrier returned after a clear. */
  #end(leg: MediaLeg, leftMs: number, done: () => void): void {
    const { clock } = this.#options;
    let isPlayed = false;
    this.#played = () => {
      isPlayed = true;
    };
    const over = () => {
      this.#played = null;
      this.#stop();
      done();
    };
    leg.mark(END_MARK);
    this.#stop = clock.after(leftMs, () => {
      if (isPlayed) return over();
      this.#stop = clock.after(MARK_WITHIN_MS, over);
      this.#played = over;
    });
  }

  audio(): void {}

  marked(name: string): void {
    if (name === END_MARK) this.#played?.();
  }

  key(digit: string): void {
    this.#options.key?.(digit);
  }

  leave(): void {
    this.#played = null;
    this.#stop();
  }
}
