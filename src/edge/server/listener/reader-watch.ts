import type { Clock } from '../../../foundation/platform/clock.ts';

const ASK_EVERY_MS = 1_000;

/** Whether a peer reads what it is sent. Bytes that wait on this side say little: the kernels of both, and every proxy
 * between them, take a minute of speech before one does. But a ping is answered when all that was sent before it has been
 * read, so how long it stays unanswered is how far behind the reader is. Only sending asks: a peer that is sent nothing
 * owes nothing. */
export class ReaderWatch {
  readonly #clock: Clock;
  readonly #patienceMs: number;
  #number = 0;
  #askedAt = Number.NEGATIVE_INFINITY;
  #waiting = false;

  constructor(clock: Clock, patienceSeconds: number) {
    this.#clock = clock;
    this.#patienceMs = patienceSeconds * 1000;
  }

  /** Before each frame: the peer is too far behind. */
  get late(): boolean {
    return this.#waiting && this.#clock.monotonic() - this.#askedAt > this.#patienceMs;
  }

  /** After each frame: what to ping the peer with now; null when nothing is to be asked. */
  question(): string | null {
    const now = this.#clock.monotonic();
    if (this.#waiting || now - this.#askedAt < ASK_EVERY_MS) return null;
    this.#askedAt = now;
    this.#waiting = true;
    return String(++this.#number);
  }

  answered(question: string): void {
    if (question === String(this.#number)) this.#waiting = false;
  }
}
