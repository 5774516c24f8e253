/** The limit before the engine has opened its side: the configuration, and a little more. */
const MOST = 50;

/** Messages of a data channel that come before their listener knows of the connection: they follow once it does. */
export class DataChannelBuffer {
  readonly #tell: (message: Buffer) => void;
  /** The buffer is null once it was flushed. */
  #held: Buffer[] | null = [];

  constructor(tell: (message: Buffer) => void) {
    this.#tell = tell;
  }

  take(message: Buffer): void {
    if (this.#held === null) this.#tell(message);
    else if (this.#held.length < MOST) this.#held.push(message);
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const message of held) this.#tell(message);
  }
}
