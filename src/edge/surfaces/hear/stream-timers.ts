import type { Clock } from '../../../foundation/platform/clock.ts';

const IDLE_TIMEOUT_MS = 30_000;
/** A stream without audio occupies a lane at no cost: keepalives hold it open no longer than this. */
const AUDIO_TIMEOUT_MS = 120_000;
const FINAL_RESULTS_MS = 5_000;

type Cancel = () => void;

export class StreamTimers {
  readonly #clock: Clock;
  readonly #silent: (reason: string) => void;
  readonly #waiting = new Map<'idle' | 'audio' | 'recheck' | 'drain', Cancel>();

  constructor(clock: Clock, silent: (reason: string) => void) {
    this.#clock = clock;
    this.#silent = silent;
  }

  onFrame(): void {
    this.#set('idle', IDLE_TIMEOUT_MS, () => this.#silent('no audio for 30 s'));
  }

  onAudio(): void {
    this.#set('audio', AUDIO_TIMEOUT_MS, () => this.#silent('no audio for 120 s'));
  }

  recheckIn(milliseconds: number, recheck: () => void): void {
    this.#set('recheck', milliseconds, recheck);
  }

  /** Ends the stream shortly before the deadline of a drain, so that its last words are still transcribed. */
  onServerDraining(msLeft: number, end: () => void): void {
    this.#set('drain', Math.max(0, msLeft - FINAL_RESULTS_MS), end);
  }

  stopRecheck(): void {
    this.#waiting.get('recheck')?.();
  }

  stop(): void {
    for (const cancel of this.#waiting.values()) cancel();
  }

  #set(name: 'idle' | 'audio' | 'recheck' | 'drain', milliseconds: number, then: () => void): void {
    this.#waiting.get(name)?.();
    this.#waiting.set(name, this.#clock.after(milliseconds, then));
  }
}
