/**
 * Every turn has its own number. The caller's turn gets its number with its first visible words, so that the agent's
 * words meanwhile get another.
 */
export class TurnNumbers {
  #next = 0;
  #callers: number | null = null;

  get upcoming(): number {
    return this.#next;
  }

  goOnFrom(next: number): void {
    this.#next = next;
  }

  next(): number {
    return this.#next++;
  }

  get callersNext(): number {
    return this.#callers ?? this.#next;
  }

  callerTurn(): number {
    this.#callers ??= this.next();
    return this.#callers;
  }

  answerTurn(): number {
    return this.#callers === null ? this.#next + 1 : this.#next;
  }

  finishCallerTurn(): number {
    const number = this.callerTurn();
    this.#callers = null;
    return number;
  }

  /** Speech that looked like a turn was not one: its number is free again, unless another follows it. */
  releaseCallerTurn(): void {
    if (this.#callers === this.#next - 1) this.#next--;
    this.#callers = null;
  }
}
