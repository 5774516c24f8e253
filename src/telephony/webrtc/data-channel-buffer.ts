/** The bound holds the configuration message and some more until the engine has opened its side. */
const MOST = 50;

export class DataChannelBuffer {
  readonly #notify: (message: Buffer) => void;
  #held: Buffer[] | null = [];

  constructor(notify: (message: Buffer) => void) {
    this.#notify = notify;
  }

  take(message: Buffer): void {
    if (this.#held === null) this.#notify(message);
    else if (this.#held.length < MOST) this.#held.push(message);
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const message of held) this.#notify(message);
  }
}
