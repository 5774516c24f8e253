/** Makes what was written last: one call to the disk answers everybody who wrote before it began. */
export class GroupSync {
  readonly #sync: () => Promise<void>;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(sync: () => Promise<void>) {
    this.#sync = sync;
  }

  /** Resolves once a call that began after this one has ended: a call under way may have begun too early. */
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
