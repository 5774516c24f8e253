import { createHash } from 'node:crypto';
import { BlobTooLargeError, type ByteSource, type PutOptions, type PutResult } from './blobs.ts';

export class CountingSource {
  readonly #source: ByteSource;
  readonly #options: PutOptions;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  constructor(source: ByteSource, options: PutOptions) {
    this.#source = source;
    this.#options = options;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const { maxBytes, signal } = this.#options;
    for await (const chunk of this.#source) {
      signal?.throwIfAborted();
      this.#bytes += chunk.byteLength;
      if (maxBytes !== undefined && this.#bytes > maxBytes) throw new BlobTooLargeError(maxBytes);
      this.#hash.update(chunk);
      yield chunk;
    }
    signal?.throwIfAborted();
  }

  result(): PutResult {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}
