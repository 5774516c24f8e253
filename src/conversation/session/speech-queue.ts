/** Words of the customer's own that wait to be spoken. */
const MAX_WAITING = 20;

/** The customer's lines, in the order in which they came. */
export class SpeechQueue {
  #waiting: string[] = [];
  #begun: { readonly speech: number; readonly text: string } | null = null;

  /** Returns false where the queue is full. */
  add(text: string): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false;
    this.#waiting.push(text);
    return true;
  }

  next(): string | undefined {
    return this.#waiting.shift();
  }

  /** They are given to the voice. */
  begin(speech: number, text: string): void {
    this.#begun = { speech, text };
  }

  /** The caller took the turn before the first sound of that speech: if it was such words, they come first again. */
  requeue(speech: number): void {
    if (this.#begun?.speech === speech) this.#waiting.unshift(this.#begun.text);
    this.#begun = null;
  }

  clear(): void {
    this.#waiting = [];
    this.#begun = null;
  }
}
