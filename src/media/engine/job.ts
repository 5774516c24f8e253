import type { CapacityShare } from './capacity-share.ts';
import type { NativeEngine } from './native.ts';
import { EngineStatus, engineStatusError } from './status.ts';

export class Job {
  readonly number: number;
  readonly tenant: CapacityShare;
  readonly #native: NativeEngine;
  readonly #end: PromiseWithResolvers<void>;
  #waiting = 0;
  #ended = false;
  #failure: unknown;
  #notify: (() => void) | undefined;
  #progress = 0;

  constructor(native: NativeEngine, number: number, tenant: CapacityShare) {
    this.#native = native;
    this.tenant = tenant;
    this.number = number;
    this.#end = withResolvers();
    // A caller that only reads the chunks gets the failure there.
    this.#end.promise.catch(() => {});
  }

  /** Settles when the engine has finished; rejects with an ApiError. */
  get done(): Promise<void> {
    return this.#end.promise;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get progress(): number {
    return this.#progress;
  }

  /**
   * Yields the chunks of the result in order, each in its own memory. The engine pauses a job whose chunks are not
   * read; leaving the loop early cancels the job.
   */
  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) {
        const chunk = this.#take();
        if (chunk) yield chunk;
        else if (!this.#ended) await this.#changed();
        else if (this.#failure) throw this.#failure;
        else return;
      }
    } finally {
      if (!this.#ended) this.cancel();
    }
  }

  async result(): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for await (const chunk of this.chunks()) parts.push(chunk);
    return parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
  }

  /** Ends the job with an error as soon as the model's current node is done. Unread chunks are dropped. */
  cancel(): void {
    this.#native.cancel(this.number);
  }

  #take(): Uint8Array | undefined {
    if (this.#waiting === 0) return undefined;
    this.#waiting -= 1;
    const chunk = this.#native.take(this.number);
    return chunk && new Uint8Array(chunk);
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#notify = resolve;
    });
  }

  #wake(): void {
    this.#notify?.();
    this.#notify = undefined;
  }

  chunkReady(): void {
    this.#waiting += 1;
    this.#wake();
  }

  advance(progress: number): void {
    this.#progress = progress;
  }

  finish(code: number, message: string): void {
    if (this.#ended) return;
    this.#ended = true;
    if (code === EngineStatus.ok) {
      this.#progress = 1;
      this.#end.resolve();
    } else {
      this.#failure = engineStatusError(code, message);
      this.#end.reject(this.#failure);
    }
    this.#wake();
  }
}

interface PromiseWithResolvers<T> {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
}

function withResolvers(): PromiseWithResolvers<void> {
  let resolve!: () => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
