import type { Clock } from '../../foundation/platform/clock.ts';
import type { MediaLeg } from '../carriers/index.ts';

/** The prefix of marks that only report the playout position; other marks report the end of an utterance. */
export const POSITION_MARK = 'position:';
const MARK_EVERY_MS = 200;
const BYTES_A_MS = 8;
/** The lag is the minimum of the last marks: a single late one is network delay and no buffer. */
const LAST_MARKS = 4;
const FEWEST_MARKS = 2;
/** A smaller change is not reported: it is within the jitter of frames and sockets. */
const LEAST_CHANGE_MS = 40;
/**
 * Audio later than this starts a new timeline. A smaller delay arose in this process, and the engine does not know of
 * it.
 */
const HELD_UP_MS = 120;

export interface PlayoutMarksOptions {
  readonly clock: Clock;
  /** The owner distinguishes its marks from those of an earlier handler of the line, which come back too. */
  readonly owner: string;
  /** The other side plays audio this much later than it is sent. */
  readonly lag: (ms: number) => void;
}

/**
 * Sends marks after audio (u-law at 8 kHz). The time of their echo shows how much later than sent the other side
 * plays it.
 */
export class PlayoutMarks {
  readonly #options: PlayoutMarksOptions;
  /** The time at which a client without a buffer has played the audio before each mark. */
  readonly #waiting = new Map<string, number>();
  #lags: number[] = [];
  #reported = 0;
  #next = 1;
  #sinceMarkMs = 0;
  #playedAt = 0;

  constructor(options: PlayoutMarksOptions) {
    this.#options = options;
  }

  sent(leg: MediaLeg, frames: Uint8Array): void {
    const now = this.#options.clock.monotonic();
    const ms = frames.length / BYTES_A_MS;
    if (this.#playedAt + HELD_UP_MS < now) {
      this.#playedAt = now;
      // The first frame of a new utterance is marked at once, so that its lag is known early.
      this.#sinceMarkMs = MARK_EVERY_MS;
    }
    this.#playedAt += ms;
    this.#sinceMarkMs += ms;
    if (this.#sinceMarkMs < MARK_EVERY_MS) return;
    this.#sinceMarkMs = 0;
    const name = `${POSITION_MARK}${this.#options.owner}:${this.#next++}`;
    this.#waiting.set(name, this.#playedAt);
    leg.mark(name);
  }

  cleared(): void {
    this.#waiting.clear();
    this.#playedAt = 0;
  }

  marked(name: string): void {
    const due = this.#waiting.get(name);
    if (due === undefined) return;
    this.#waiting.delete(name);
    this.#lags = [...this.#lags, Math.max(0, this.#options.clock.monotonic() - due)].slice(-LAST_MARKS);
    if (this.#lags.length < FEWEST_MARKS) return;
    const lag = Math.round(Math.min(...this.#lags));
    if (Math.abs(lag - this.#reported) < LEAST_CHANGE_MS) return;
    this.#reported = lag;
    this.#options.lag(lag);
  }
}
