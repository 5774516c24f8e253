import type { Clock } from '../../foundation/platform/clock.ts';
import type { MediaLeg } from '../carriers/index.ts';

/** The prefix of marks that only report the playout position; other marks report the end of an utterance. */
export const POSITION_MARK = 'position:';
/** How much is sent between two marks. */
const MARK_EVERY_MS = 200;
const BYTES_A_MS = 8;
/** The lag is the least that so many marks told: one that was late on its way is no buffer. */
const LAST_MARKS = 4;
const FEWEST_MARKS = 2;
/** Less of a change than this is no news: it is what frames and sockets take. */
const LEAST_CHANGE_MS = 40;
/**
 * Audio later than this starts a new timeline; a smaller delay arose in this process, and the engine does not know of
 * it.
 */
const HELD_UP_MS = 120;

export interface PlayoutMarksOptions {
  readonly clock: Clock;
  /** The owner of the marks: those of an earlier handler of the line come back too. */
  readonly owner: string;
  /** The other side plays what it is sent by so much later. */
  readonly lag: (ms: number) => void;
}

/** Sends marks behind what is sent to a leg, u-law at 8 kHz; their echo tells how much later than sent it is played. */
export class PlayoutMarks {
  readonly #options: PlayoutMarksOptions;
  /** For a client without a buffer, the times at which it has played the audio before each mark. */
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
      // A new piece of speech is marked behind its first frame: the sooner its lag is known.
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

  /** Drops queued audio, and returns its marks at once. */
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
