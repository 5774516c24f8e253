import { g711 } from '../media/index.ts';

/** A line whose frames come apart from their own time by more has paused, or lost some: 120 ms. */
const APART = 960;
const SILENCE = g711.SILENCE.pcmu;

/** One side of a talk by the clock, in samples of u-law. A line that sends all the time is its own clock; one that has paused begins anew, where the clock is. */
export class TalkSide {
  #frames: Uint8Array[] = [];
  /** What was taken, and what was placed. */
  #from = 0;
  #to = 0;

  /** Frames that have come by the moment `now`. */
  place(frames: Uint8Array, now: number): void {
    const silent = this.#to + frames.length + APART < now ? now - frames.length - this.#to : 0;
    if (silent > 0) this.#add(new Uint8Array(silent).fill(SILENCE));
    const room = Math.max(0, now + APART - this.#to);
    this.#add(Uint8Array.from(frames.subarray(0, room)));
  }

  /** Up to the moment `until`; silence where nothing came. */
  take(until: number): Uint8Array {
    const taken = new Uint8Array(Math.max(0, until - this.#from)).fill(SILENCE);
    for (let at = 0; at < taken.length; ) {
      const first = this.#frames[0];
      if (first === undefined) break;
      const part = first.subarray(0, taken.length - at);
      taken.set(part, at);
      at += part.length;
      if (part.length === first.length) this.#frames.shift();
      else this.#frames[0] = first.subarray(part.length);
    }
    this.#from += taken.length;
    this.#to = Math.max(this.#to, this.#from);
    return taken;
  }

  #add(frames: Uint8Array): void {
    if (frames.length === 0) return;
    this.#frames.push(frames);
    this.#to += frames.length;
  }
}
