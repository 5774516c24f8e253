import type { Clock } from '../../../foundation/platform/clock.ts';

const IDLE_TIMEOUT_MS = 30_000;
/** A stream without audio takes a lane from somebody else and costs nothing: keepalives hold it open no longer than this. */
const AUDIO_TIMEOUT_MS = 120_000;
/** The time that the last finals may take before a drain's deadline. */
const FINAL_RESULTS_MS = 5_000;

type Cancel = () => void;

/** When a stream ends by itself, and when it is looked at again. */
export class StreamTimers {
  readonly #clock: Clock;
  readonly #silent: (reason: string) => void;
  readonly #waiting = new Map<'idle' | 'audio' | 'recheck' | 'drain', Cancel>();

  constructor(clock: Clock, silent: (reason: string) => void) {
    this.#clock = clock;
    this.#silent = silent;
  }

  /** The client said something. */
  onFrame(): void {
    this.#set('idle', IDLE_TIMEOUT_MS, () => this.#silent('no audio for 30 s'));
  }

  /** Audio came. */
  onAudio(): void {
    this.#set('audio', AUDIO_TIMEOUT_MS, () => this.#silent('no audio for 120 s'));
  }

  recheckIn(milliseconds: number, recheck: () => void): void {
    this.#set('recheck', milliseconds, recheck);
  }

  /** Shortly before the deadline of a drain: what was heard by then is still said. */
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
