import { sequenceAfter } from './rtp.ts';

/** Longer gaps are silence on the line, or another stream: nothing is made up for them. */
const MOST_MADE_UP = 5;
/** Packets that wait behind one that is missing; the missing one is given up after that. */
const MOST_WAITING = 4;
/** So far off, it is another stream that begins. */
const ANOTHER_STREAM = 1_000;
const PATIENCE_MS = 60;

export interface InOrder {
  /** The next packet's payload, or null for one that never came. */
  play(payload: Buffer | null): void;
}

/** Packets in the order in which they were sent: a late one is waited for while few wait behind it. */
export class Reorder {
  readonly #out: InOrder;
  readonly #waiting = new Map<number, Buffer>();
  #next: number | null = null;
  #waitingSince = 0;
  received = 0;
  lost = 0;
  late = 0;
  concealed = 0;

  constructor(out: InOrder) {
    this.#out = out;
  }

  /** The payload is copied where it has to wait. */
  add(sequence: number, payload: Buffer, now: number): void {
    this.received += 1;
    const after = this.#next === null ? 0 : sequenceAfter(this.#next, sequence);
    if (Math.abs(after) > ANOTHER_STREAM) this.#begin();
    else if (after < 0) {
      this.late += 1;
      return;
    }
    this.#next ??= sequence;
    if (sequence === this.#next) {
      this.#play(payload);
      this.#playWaiting();
    } else this.#hold(sequence, payload, now);
  }

  /** Time passes: what is missing for too long is given up. */
  tick(now: number): void {
    if (this.#waiting.size > 0 && now - this.#waitingSince >= PATIENCE_MS) this.#giveUp();
  }

  #begin(): void {
    this.#waiting.clear();
    this.#next = null;
  }

  #hold(sequence: number, payload: Buffer, now: number): void {
    if (this.#waiting.size === 0) this.#waitingSince = now;
    this.#waiting.set(sequence, Buffer.from(payload));
    if (this.#waiting.size > MOST_WAITING) this.#giveUp();
  }

  #giveUp(): void {
    const next = this.#next as number;
    const gap = Math.min(...[...this.#waiting.keys()].map((sequence) => sequenceAfter(next, sequence)));
    this.lost += gap;
    if (gap <= MOST_MADE_UP) {
      this.concealed += gap;
      for (let i = 0; i < gap; i++) this.#out.play(null);
    }
    this.#next = (next + gap) & 0xffff;
    this.#playWaiting();
  }

  #playWaiting(): void {
    for (;;) {
      const payload = this.#next === null ? undefined : this.#waiting.get(this.#next);
      if (payload === undefined) return;
      this.#waiting.delete(this.#next as number);
      this.#play(payload);
    }
  }

  #play(payload: Buffer): void {
    this.#next = ((this.#next as number) + 1) & 0xffff;
    this.#out.play(payload);
  }
}
