export class Watchdog {
  readonly #controller = new AbortController();
  readonly signal: AbortSignal;
  expired = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #whole: NodeJS.Timeout;

  constructor(outer: AbortSignal, wholeMs: number) {
    this.#whole = setTimeout(() => this.#expire(), wholeMs);
    this.signal = AbortSignal.any([outer, this.#controller.signal]);
  }

  arm(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#expire(), ms);
  }

  #expire(): void {
    this.expired = true;
    this.#controller.abort();
  }

  /** It also aborts a request that is still running, when the iteration was left early. */
  stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#whole);
    this.#controller.abort();
  }
}
