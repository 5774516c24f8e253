import type { Clock } from '../../../foundation/platform/clock.ts';
import type { AudioRateLimiter } from './rate-limits.ts';

/** The limit is two minutes: a recording that is sent at once waits here and plays in real time. */
const MAX_QUEUED_SECONDS = 120;
/** The limit counts frames of 10 ms, so that nearly empty frames cannot fill the memory. */
const MAX_QUEUED_FRAMES = MAX_QUEUED_SECONDS * 100;
const RELEASE_EVERY_MS = 20;

export interface PacedAudioQueueOptions {
  readonly clock: Clock;
  readonly rateLimiter: AudioRateLimiter;
  readonly bytesPerSecond: number;
  readonly forward: (pcm: Uint8Array) => void;
}

export class PacedAudioQueue {
  readonly #options: PacedAudioQueueOptions;
  readonly #waiting: Uint8Array[] = [];
  #bytes = 0;
  #stop: (() => void) | null = null;

  constructor(options: PacedAudioQueueOptions) {
    this.#options = options;
  }

  add(pcm: Uint8Array): boolean {
    const { rateLimiter: pace, bytesPerSecond, forward } = this.#options;
    if (this.#waiting.length === 0 && pace.take(pcm.length)) {
      forward(pcm);
      return true;
    }
    const full = this.#bytes + pcm.length > MAX_QUEUED_SECONDS * bytesPerSecond;
    if (full || this.#waiting.length >= MAX_QUEUED_FRAMES) return false;
    // The frame is copied because the socket reuses its memory.
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
    this.#stop ??= this.#options.clock.after(RELEASE_EVERY_MS, () => {
      this.#stop = null;
      this.#release();
      if (this.#waiting.length > 0) this.#look();
    });
  }

  #release(): void {
    const { rateLimiter: pace, forward } = this.#options;
    for (let next = this.#waiting[0]; next !== undefined && pace.take(next.length); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#bytes -= next.length;
      forward(next);
    }
  }
}
