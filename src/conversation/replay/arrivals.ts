/** Holds what arrives for a numbered request until the session asks for it, and the session until it arrives. */
export class Arrivals {
  readonly #arrived = new Map<string, unknown[]>();
  readonly #waiting = new Map<string, (value: unknown) => void>();

  bring(kind: string, of: number, value: unknown): void {
    const name = `${kind} ${of}`;
    const waiting = this.#waiting.get(name);
    this.#waiting.delete(name);
    if (waiting !== undefined) waiting(value);
    else this.#arrived.set(name, [...(this.#arrived.get(name) ?? []), value]);
  }

  /** Resolves to undefined where the signal aborts first. */
  next(kind: string, of: number, signal?: AbortSignal): Promise<unknown> {
    const name = `${kind} ${of}`;
    const arrived = this.#arrived.get(name) ?? [];
    if (arrived.length > 0) return Promise.resolve(arrived.shift());
    if (signal?.aborted === true) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#waiting.set(name, resolve);
      signal?.addEventListener('abort', () => resolve(undefined), { once: true });
    });
  }
}
