/** Each go of either side has a number of its own. The caller's is taken by the first words that are shown of it, so that what
 * the agent says meanwhile has another. */
export class TurnNumbers {
  #next = 0;
  #callers: number | null = null;

  take(): number {
    return this.#next++;
  }

  /** Of what the caller is saying. */
  ofCaller(): number {
    this.#callers ??= this.take();
    return this.#callers;
  }

  /** Of the answer to what the caller is saying. */
  ofAnswer(): number {
    return this.#callers === null ? this.#next + 1 : this.#next;
  }

  /** The caller has had a turn: its number. */
  callerIsDone(): number {
    const number = this.ofCaller();
    this.#callers = null;
    return number;
  }

  /** What the caller seemed to say was no turn: its number is free again where none follows it yet. */
  callerHadNone(): void {
    if (this.#callers === this.#next - 1) this.#next--;
    this.#callers = null;
  }
}
