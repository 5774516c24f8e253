import { SILENCE_BYTE } from '../engine/index.ts';
import { FrameBuffer } from '../wire/index.ts';

/** A gap of more than 120 ms between the frames and the clock is a pause or a loss. */
const APART = 960;
const SILENCE = SILENCE_BYTE.pcmu;

/**
 * Places one side of a conversation by the clock, in u-law samples. A line that sends continuously is its own clock;
 * one that has paused restarts at the clock's position.
 */
export class RecordingTrack {
  readonly #frames = new FrameBuffer();
  #from = 0;
  #to = 0;

  place(frames: Uint8Array, now: number): void {
    const silent = this.#to + frames.length + APART < now ? now - frames.length - this.#to : 0;
    if (silent > 0) this.#add(new Uint8Array(silent).fill(SILENCE));
    const space = Math.max(0, now + APART - this.#to);
    this.#add(frames.subarray(0, space));
  }

  take(until: number): Uint8Array {
    const taken = this.#frames.take(Math.max(0, until - this.#from), SILENCE);
    this.#from += taken.length;
    this.#to = Math.max(this.#to, this.#from);
    return taken;
  }

  #add(frames: Uint8Array): void {
    this.#frames.add(frames);
    this.#to += frames.length;
  }
}
