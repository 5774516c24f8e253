const MAX_WAITING = 20;

export class SpeechQueue {
  #waiting: string[] = [];
  #begun: { readonly speech: number; readonly text: string } | null = null;

  add(text: string): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false;
    this.#waiting.push(text);
    return true;
  }

  next(): string | undefined {
    return this.#waiting.shift();
  }

  begin(speech: number, text: string): void {
    this.#begun = { speech, text };
  }

  /**
   * The caller took the turn before this speech was audible. A line of the customer's goes back to the front of the
   * queue.
   */
  requeue(speech: number): void {
    if (this.#begun?.speech === speech) this.#waiting.unshift(this.#begun.text);
    this.#begun = null;
  }

  clear(): void {
    this.#waiting = [];
    this.#begun = null;
  }
}
