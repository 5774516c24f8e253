import { FrameBuffer, g711 } from '../wire/index.ts';

/** A line whose frames come apart from their own time by more has paused, or lost some: 120 ms. */
const APART = 960;
const SILENCE = g711.SILENCE.pcmu;

/** One side of a talk by the clock, in samples of u-law. A line that sends all the time is its own clock; one that has paused begins anew, where the clock is. */
export class RecordingTrack {
  readonly #frames = new FrameBuffer();
  /** The positions of the audio that was taken and placed. */
  #from = 0;
  #to = 0;

  /** Frames that have come by the moment `now`. */
  place(frames: Uint8Array, now: number): void {
    const silent = this.#to + frames.length + APART < now ? now - frames.length - this.#to : 0;
    if (silent > 0) this.#add(new Uint8Array(silent).fill(SILENCE));
    const space = Math.max(0, now + APART - this.#to);
    this.#add(frames.subarray(0, space));
  }

  /** Takes audio up to `until`, with silence where nothing came. */
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
