import type { Clock } from '../../foundation/platform/clock.ts';
import type { CallerUtterance } from './voice-lane.ts';

/** The words of a caller who hangs up before the final result still count. */
export class PendingUtterance {
  readonly #clock: Clock;
  #open: { text: string; startMs: number; began: number; endMs: number | null } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  onSpeechStart(atMs: number): void {
    this.#open = { text: '', startMs: atMs, began: this.#clock.monotonic(), endMs: null };
  }

  /** The position is the beginning of the open utterance plus the time since then; it is 0 where none is open. */
  get nowMs(): number {
    const open = this.#open;
    return open === null ? 0 : open.startMs + this.#clock.monotonic() - open.began;
  }

  onPartial(text: string): void {
    if (this.#open !== null) this.#open = { ...this.#open, text, endMs: null };
  }

  onEagerEnd({ text, startMs, endMs }: CallerUtterance): void {
    this.#open = { text, startMs, began: this.#clock.monotonic(), endMs };
  }

  clear(): void {
    this.#open = null;
  }

  take(): CallerUtterance | null {
    const open = this.#open;
    this.#open = null;
    if (open === null || open.text.trim() === '') return null;
    const { text, startMs } = open;
    const endMs = open.endMs ?? startMs + this.#clock.monotonic() - open.began;
    return { utterance: -1, text, startMs, endMs, atMs: endMs, asrMs: 0 };
  }
}
