/** Each go of either side has a number of its own. The caller's is taken by the first words that are shown of it, so that what
 * the agent says meanwhile has another. */
export class TurnNumbers {
  #next = 0;
  #callers: number | null = null;

  next(): number {
    return this.#next++;
  }

  /** Of what the caller is saying. */
  callerTurn(): number {
    this.#callers ??= this.next();
    return this.#callers;
  }

  /** Of the answer to what the caller is saying. */
  answerTurn(): number {
    return this.#callers === null ? this.#next + 1 : this.#next;
  }

  /** The caller has had a turn: its number. */
  finishCallerTurn(): number {
    const number = this.callerTurn();
    this.#callers = null;
    return number;
  }

  /** What the caller seemed to say was no turn: its number is free again where none follows it yet. */
  releaseCallerTurn(): void {
    if (this.#callers === this.#next - 1) this.#next--;
    this.#callers = null;
  }
}
