import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { type Container, SNIFF_BYTES, sniff } from './container.ts';
import { OGG_PAGE_BYTES } from './ogg-tail.ts';
import { writeUnlinkedFile } from './unlinked-file.ts';

export type AudioSource =
  | { readonly path: string }
  | { readonly bytes: Uint8Array }
  | { readonly stream: AsyncIterable<Uint8Array> }
  /** The source is a recording in progress. `head` has its first bytes, which `live` does not repeat. */
  | { readonly head: Uint8Array; readonly live: Readable };

export interface OpenedAudioSource {
  readonly container: Container | undefined;
  readonly file?: FileHandle;
  readonly stream?: Readable;
  readonly isLive?: boolean;
  /** Returns the last bytes, up to OGG_PAGE_BYTES; undefined until a stream was read to its end. */
  tail(): Promise<Buffer | undefined>;
  close(): Promise<void>;
}

/**
 * `temporary` is the folder for sources that must be files. The files are unlinked while in use, so that none is left
 * behind.
 */
export async function openAudioSource(source: AudioSource, temporary: string): Promise<OpenedAudioSource> {
  if ('path' in source) return fromFile(await open(source.path, 'r'));
  if ('live' in source) return fromLive(source);
  const whole = 'bytes' in source ? one(source.bytes) : source.stream;
  const { head, all, release } = await peek(whole);
  const container = sniff(head);
  if (container?.seeks) return fromFile(await writeUnlinkedFile(all, temporary), container);
  const tail = new Tail();
  const stream = Readable.from(tail.watch(all), { objectMode: false });
  return {
    container,
    stream,
    tail: async () => tail.bytes(),
    close: async () => {
      discardSource(source); // A stalled source would otherwise block its reader and all after it.
      stream.destroy();
      await release(); // a generator that never started runs no `finally`
    },
  };
}

export function discardSource(source: AudioSource): void {
  if ('stream' in source && source.stream instanceof Readable) source.stream.destroy();
  if ('live' in source) source.live.destroy();
}

function fromLive({ head, live }: { readonly head: Uint8Array; readonly live: Readable }): OpenedAudioSource {
  async function* all(): AsyncGenerator<Uint8Array> {
    yield head;
    yield* live;
  }
  const stream = Readable.from(all(), { objectMode: false });
  return {
    container: sniff(Buffer.from(head.buffer, head.byteOffset, head.byteLength)),
    stream,
    isLive: true,
    tail: async () => undefined,
    close: async () => {
      live.destroy();
      stream.destroy();
    },
  };
}

async function fromFile(file: FileHandle, known?: Container): Promise<OpenedAudioSource> {
  try {
    const head = Buffer.alloc(SNIFF_BYTES);
    const { bytesRead } = await file.read(head, 0, SNIFF_BYTES, 0);
    const container = known ?? sniff(head.subarray(0, bytesRead));
    return { container, file, tail: () => tailOf(file), close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function tailOf(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat();
  const tail = Buffer.alloc(Math.min(size, OGG_PAGE_BYTES));
  const { bytesRead } = await file.read(tail, 0, tail.length, size - tail.length);
  return tail.subarray(0, bytesRead);
}

class Tail {
  readonly #parts: Uint8Array[] = [];
  #size = 0;
  #ended = false;

  async *watch(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const part of source) {
      this.#parts.push(part);
      this.#size += part.length;
      while (this.#size - this.#parts[0]!.length >= OGG_PAGE_BYTES) this.#size -= this.#parts.shift()!.length;
      yield part;
    }
    this.#ended = true;
  }

  bytes(): Buffer | undefined {
    return this.#ended ? Buffer.concat(this.#parts).subarray(-OGG_PAGE_BYTES) : undefined;
  }
}

async function* one(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

async function peek(source: AsyncIterable<Uint8Array>) {
  const iterator = source[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let size = 0;
  let ended = false;
  while (size < SNIFF_BYTES && !ended) {
    const { value, done } = await iterator.next();
    if (done) ended = true;
    else {
      first.push(value);
      size += value.length;
    }
  }
  const release = async () => {
    await iterator.return?.();
  };
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield* first;
      if (!ended) yield* { [Symbol.asyncIterator]: () => iterator };
    } finally {
      await release();
    }
  }
  return { head: Buffer.concat(first).subarray(0, SNIFF_BYTES), all: all(), release };
}
