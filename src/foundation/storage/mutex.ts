/** One at a time, in the order of asking. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn, with what ends it. */
  async acquire(): Promise<() => void> {
    const before = this.#last;
    let end = (): void => {};
    this.#last = new Promise((resolve) => {
      end = resolve;
    });
    await before;
    return end;
  }
}
