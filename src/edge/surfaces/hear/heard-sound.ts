import { RECORDING_RATE } from '../../../media/engine/index.ts';

/** Buffers a window of a recording during its recognition, from the last segment that was taken on. */
export class HeardSound implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncIterable<Uint8Array>;
  readonly #parts: Uint8Array[] = [];
  #from = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    for await (const part of this.#source) {
      this.#parts.push(part);
      yield part;
    }
  }

  /** Takes the audio between two times, in seconds. Audio before `start` is dropped. */
  take(start: number, end: number): Buffer {
    const first = 2 * Math.floor(start * RECORDING_RATE);
    while (this.#parts[0] !== undefined && this.#from + this.#parts[0].length <= first)
      this.#from += (this.#parts.shift() as Uint8Array).length;
    const bytes = Buffer.concat(this.#parts);
    return bytes.subarray(first - this.#from, 2 * Math.ceil(end * RECORDING_RATE) - this.#from);
  }
}
