/** Each go of either side has a number of its own. The caller's is taken by the first words that are shown of it, so that what
 * the agent says meanwhile has another. */
export class TurnNumbers {
  #next = 0;
  #callers: number | null = null;

  /** The number that the next turn gets. */
  get upcoming(): number {
    return this.#next;
  }

  goOnFrom(next: number): void {
    this.#next = next;
  }

  next(): number {
    return this.#next++;
  }

  /** Returns the number that the caller's turn has, or would have; none is taken. */
  get callersNext(): number {
    return this.#callers ?? this.#next;
  }

  /** Returns the number of the turn that the caller is speaking. */
  callerTurn(): number {
    this.#callers ??= this.next();
    return this.#callers;
  }

  /** Returns the number of the answer to the caller's current turn. */
  answerTurn(): number {
    return this.#callers === null ? this.#next + 1 : this.#next;
  }

  /** The caller has had a turn: its number. */
  finishCallerTurn(): number {
    const number = this.callerTurn();
    this.#callers = null;
    return number;
  }

  /** Speech that looked like a turn was none: its number is free again, unless another follows it. */
  releaseCallerTurn(): void {
    if (this.#callers === this.#next - 1) this.#next--;
    this.#callers = null;
  }
}
