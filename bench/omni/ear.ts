import { FRAME, levelOf, RATE } from './sound.ts';

/** A client's playout buffer on its own clock: what the caller hears, and when. */
export class Ear {
  /** 20 ms levels of what was heard, with the moment at which each began. */
  readonly heard: { at: number; level: number }[] = [];
  #queue: { samples: Int16Array; at: number }[] = [];
  #next = 0;
  #playedSamples = 0;

  /** A frame came at `now` (ms); it plays behind what waits, or at once. */
  take(samples: Int16Array, now: number): void {
    this.advance(now);
    this.#next = Math.max(this.#next, now);
    this.#queue.push({ samples, at: this.#next });
    this.#next += (samples.length * 1000) / RATE;
  }

  /** What has played until `now` is heard. */
  advance(now: number): void {
    for (
      let first = this.#queue[0];
      first !== undefined && first.at + lengthOf(first) <= now;
      first = this.#queue[0]
    ) {
      this.#hear(first.samples, first.at);
      this.#queue.shift();
    }
  }

  /** The server says that the agent was interrupted: what waits is thrown away. */
  flush(now: number): void {
    this.advance(now);
    const cut = this.#queue[0];
    if (cut !== undefined) {
      const played = Math.max(0, Math.min(cut.samples.length, Math.round(((now - cut.at) * RATE) / 1000)));
      this.#hear(cut.samples.subarray(0, played), cut.at);
    }
    this.#queue = [];
    this.#next = now;
  }

  get playing(): boolean {
    return this.#queue.length > 0;
  }

  /** Milliseconds of audio that have been heard so far. */
  get playedMs(): number {
    return (this.#playedSamples * 1000) / RATE;
  }

  /** The first moment from `from` on at which the level is at least `dbfs`. */
  firstSound(from: number, dbfs: number): number | null {
    return this.heard.find(({ at, level }) => at >= from - 20 && level >= dbfs)?.at ?? null;
  }

  #hear(samples: Int16Array, at: number): void {
    if (samples.length === 0) return;
    this.#playedSamples += samples.length;
    this.heard.push({ at, level: levelOf(samples) });
  }
}

const lengthOf = ({ samples }: { samples: Int16Array }): number => (samples.length / FRAME) * 20;
