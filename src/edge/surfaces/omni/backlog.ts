import type { Clock } from '../../../foundation/platform/clock.ts';
import type { Pace } from './pace.ts';

/** Two minutes: a recording that is sent whole waits here, and is heard as fast as it was spoken. */
const MOST_SECONDS = 120;
/** Of 10 ms each: many that hold next to nothing are no speech. */
const MOST_FRAMES = MOST_SECONDS * 100;
const LOOK_EVERY_MS = 20;

export interface BacklogOptions {
  readonly clock: Clock;
  readonly pace: Pace;
  readonly bytesPerSecond: number;
  /** Audio whose time has come. */
  readonly forward: (pcm: Uint8Array) => void;
}

/** Audio that came faster than it can have been spoken. */
export class Backlog {
  readonly #options: BacklogOptions;
  readonly #waiting: Uint8Array[] = [];
  #bytes = 0;
  #stop: (() => void) | null = null;

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** False: more waits than may. */
  add(pcm: Uint8Array): boolean {
    const { pace, bytesPerSecond, forward } = this.#options;
    if (this.#waiting.length === 0 && pace.take(pcm.length)) {
      forward(pcm);
      return true;
    }
    const full = this.#bytes + pcm.length > MOST_SECONDS * bytesPerSecond;
    if (full || this.#waiting.length >= MOST_FRAMES) return false;
    // The frame's own bytes are the socket's, and used again.
    this.#waiting.push(pcm.slice());
    this.#bytes += pcm.length;
    this.#look();
    return true;
  }

  clear(): void {
    this.#stop?.();
    this.#stop = null;
    this.#waiting.length = 0;
    this.#bytes = 0;
  }

  #look(): void {
    this.#stop ??= this.#options.clock.after(LOOK_EVERY_MS, () => {
      this.#stop = null;
      this.#release();
      if (this.#waiting.length > 0) this.#look();
    });
  }

  #release(): void {
    const { pace, forward } = this.#options;
    for (let next = this.#waiting[0]; next !== undefined && pace.take(next.length); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#bytes -= next.length;
      forward(next);
    }
  }
}
