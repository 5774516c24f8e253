/** Groups fsync calls: one call serves every write that finished before it began. */
export class GroupSync {
  readonly #sync: () => Promise<void>;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(sync: () => Promise<void>) {
    this.#sync = sync;
  }

  /** Resolves after an fsync that began after this call; a running one may have begun too early. */
  settled(): Promise<void> {
    this.#next ??= this.#after(this.#running);
    return this.#next;
  }

  async #after(running: Promise<void>): Promise<void> {
    await running.catch(() => {});
    this.#running = this.#next as Promise<void>;
    this.#next = null;
    await this.#sync();
  }
}
